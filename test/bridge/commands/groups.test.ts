// Group commands on the test network; the phones show their effect.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandInput, type CommandOutput, type NetworkCommand, COMMANDS } from "@gateway/protocol/commands.ts";
import type { Failure, Outcome } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import { runCommand } from "#root/session-bridge/networks/baileys/commands/commands.ts";
import { QUERY_TIMEOUT_MS } from "#root/session-bridge/networks/baileys/socket/socket-config.ts";
import { changeMembers, createGroup, describeGroup, joinGroup, leaveGroup, setGroup, viewGroup } from "#root/test-network/phone/groups.ts";
import { setBlocked } from "#root/test-network/phone/profile.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { PNG, sha256 } from "../../support/sample-files.ts";
import { Session } from "../messages/session.ts";
import { must, openWorld, shown, type World } from "../messages/world.ts";
import { shortenQueryTimeouts } from "../phones/query-timeouts.ts";

const person = ({ pn }: { pn: string }) => ({ phone: pn, lid: null });
const named = ({ pn }: { pn: string }) => expect.objectContaining({ phone: pn });
const refusal = (failure: Partial<Failure>) => ({ ok: false, failure: expect.objectContaining(failure) as unknown });

/** Sends the command and parses the outcome as the Connection object does. */
async function ask<N extends NetworkCommand>(session: Session, name: N, input: CommandInput<N>): Promise<Outcome<CommandOutput<N>>> {
  const outcome = await runCommand(session.ctx, name, COMMANDS[name].input.parse(input));
  return outcome.ok ? { ok: true, value: COMMANDS[name].output.parse(outcome.value) as CommandOutput<N> } : outcome;
}

async function done<N extends NetworkCommand>(session: Session, name: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
  const outcome = await ask(session, name, input);
  if (!outcome.ok) throw new Error(`${name}: ${JSON.stringify(outcome.failure)}`);
  return outcome.value;
}

describe.each(["pn", "lid"] as const)("a number in groups whose members are addressed by %s", (groupAddressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone, dora: SimulatedPhone, enzo: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld({ groupAddressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    [carla, dora, enzo] = [await world.newPhone("Carla"), await world.newPhone("Dora"), await world.newPhone("Enzo")];
  });
  afterAll(() => world.close());

  const view = (group: string, phone = anna) => viewGroup(phone.deps, group)!;
  const roles = (group: string) => Object.fromEntries(view(group).participants.map(({ phone, role }) => [phone, role]));
  /** A session's network creates a group immediately. */
  const create = async (subject: string, participants: Person[]) => {
    const made = await done(session, "groups.create", { subject, participants });
    if ("request_id" in made) throw new Error(made.request_id);
    return made;
  };
  /** A group created by Anna. */
  const ours = async (subject = "Ours", ...members: SimulatedPhone[]) => (await create(subject, members.map(person))).group.group_id;
  /** A group created by Carla, with Anna as a member. */
  const theirs = async (...members: SimulatedPhone[]) =>
    must(await carla.act((phone) => createGroup(phone, "Theirs", [anna.pn, ...members.map(({ pn }) => pn)]))).group_id;

  it("creates a group, with a result for each person", async () => {
    const shy = await world.newPhone("Shy");
    await shy.act((phone) => setBlocked(phone, anna.pn, true));
    const nobody = { phone: "5511900001234", lid: null };
    const created = await create("Team 🎉", [person(carla), nobody, person(shy), person(dora)]);
    expect(created.participants).toEqual([
      { person: named(carla), code: 200 },
      { person: named({ pn: nobody.phone }), code: 404 },
      { person: named(shy), code: expect.any(Number) },
      { person: named(dora), code: 200 },
    ]);
    expect(created.group).toMatchObject({ subject: "Team 🎉", owner: named(anna), description: null });
    expect(Object.fromEntries(created.group.participants.map((one) => [one.person.phone, one.role]))).toMatchObject({
      [anna.pn]: "superadmin",
      [carla.pn]: "member",
      [dora.pn]: "member",
    });
    expect(view(created.group.group_id, carla)).toMatchObject({ subject: "Team 🎉", created_by: anna.pn });
    await session.waitForEvent("group.snapshot", ({ group }) => group.group_id === created.group.group_id);
  });

  it.each(["Ana_Maria@loja", "Vendas @", "@"])("creates a group whose subject is %j", async (subject) => {
    const { group } = await create(subject, [person(carla)]);
    expect(group.subject).toBe(subject);
    expect(view(group.group_id, carla).subject).toBe(subject);
    await session.waitForEvent("group.snapshot", (event) => event.group.group_id === group.group_id && event.group.subject === subject);
  });

  it('creates a group without the "@" of its subject if the network then refuses to rename it', async () => {
    const { faults } = world.network;
    const onQuery = faults.onQuery.bind(faults);
    faults.onQuery = (device, iq) => (JSON.stringify(iq).includes('"tag":"subject"') ? 429 : onQuery(device, iq));
    const { group } = await create("Sales@home", [person(carla)]);
    faults.onQuery = onQuery;
    expect(group.subject).toBe("Saleshome");
  });

  it("does not count people as members if the network refused them", async () => {
    const closed = await world.newPhone("Closed");
    world.network.directory.account(closed.pn)!.privacy["groupadd"] = "none";
    const created = await create("Two", [person(carla), person(closed)]);
    expect(created.participants).toEqual([
      { person: named(carla), code: 200 },
      { person: named(closed), code: 403 },
    ]);
    expect(created.group.participants).toHaveLength(2);
  });

  it("reads one group, and refreshes all of them", async () => {
    const group = await theirs(dora);
    expect(await done(session, "groups.get", { group_id: group })).toMatchObject({
      group_id: group,
      subject: "Theirs",
      owner: named(carla),
    });
    const { group_ids } = await done(session, "groups.refresh", {});
    expect(group_ids).toContain(group);
    await session.waitForEvent("group.snapshot", (event) => event.group.group_id === group && event.group.participants.length === 3);
    expect(await ask(session, "groups.get", { group_id: "120363999999999999@g.us" })).toEqual(refusal({ code: "group_not_found" }));
    const foreign = must(await carla.act((phone) => createGroup(phone, "Foreign", [dora.pn]))).group_id;
    expect(await ask(session, "groups.get", { group_id: foreign })).toEqual(refusal({ code: "not_group_admin" }));
  });

  it("changes subject and description", async () => {
    const group = await ours();
    await done(session, "groups.subject", { group_id: group, subject: "Renamed" });
    await done(session, "groups.description", { group_id: group, description: "First\nsecond line" });
    expect(view(group)).toMatchObject({ subject: "Renamed", description: "First\nsecond line" });
    await anna.act((phone) => describeGroup(phone, group, "By the phone"));
    await done(session, "groups.description", { group_id: group, description: "Replaced" });
    expect(view(group)).toMatchObject({ description: "Replaced" });
    await done(session, "groups.description", { group_id: group, description: null });
    expect(view(group)).toMatchObject({ description: null });
  });

  it("changes every setting", async () => {
    const group = await ours();
    const all = {
      messages_admins_only: true,
      info_admins_only: true,
      members_can_add: true,
      join_approval: true,
      disappearing_seconds: 86_400,
    };
    await done(session, "groups.setting", { group_id: group, setting: all });
    expect(view(group)).toMatchObject({
      announce: true,
      locked: true,
      member_add_mode: "all_member_add",
      join_approval: true,
      disappearing_seconds: 86_400,
    });
    expect((await done(session, "groups.get", { group_id: group })).settings).toEqual(all);
    const none = {
      messages_admins_only: false,
      info_admins_only: false,
      members_can_add: false,
      join_approval: false,
      disappearing_seconds: 0,
    };
    await done(session, "groups.setting", { group_id: group, setting: none });
    expect((await done(session, "groups.get", { group_id: group })).settings).toEqual(none);
  });

  it("sets a square picture, and refuses a file that is no picture", async () => {
    const group = await ours();
    const picture = session.media.keep(PNG, "image/png");
    await done(session, "groups.picture", { group_id: group, picture });
    const shown = view(group).picture_sha256;
    expect(shown).not.toBe(sha256(PNG));
    expect(shown).not.toBeNull();
    for (const bytes of [
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      Buffer.concat([PNG.subarray(0, 20), Buffer.alloc(50)]),
    ]) {
      const bad = session.media.keep(bytes, "image/png");
      expect(await ask(session, "groups.picture", { group_id: group, picture: bad })).toEqual(refusal({ code: "media_invalid" }));
    }
    expect(await ask(session, "groups.picture", { group_id: group, picture: { ...picture, token: "gone" } })).toEqual(
      refusal({ code: "media_expired" }),
    );
    expect(await ask(session, "groups.picture", { group_id: group, picture: { ...picture, size: 6_000_000 } })).toEqual(
      refusal({ code: "media_too_large" }),
    );
    expect(view(group).picture_sha256).toBe(shown);
    await done(session, "groups.picture", { group_id: group, picture: null });
    expect(view(group).picture_sha256).toBeNull();
  });

  it("adds, promotes, demotes and removes people, with a result for each", async () => {
    const group = await ours("People", carla);
    const blocker = await world.newPhone("Blocker");
    await blocker.act((phone) => setBlocked(phone, anna.pn, true));
    const change = async (action: "add" | "remove" | "promote" | "demote", ...people: SimulatedPhone[]) =>
      (await done(session, "groups.participants", { group_id: group, action, participants: people.map(person) })).participants.map(
        ({ code }) => code,
      );
    expect(await change("add", dora, carla, blocker)).toEqual([200, 409, 403]);
    expect(await change("promote", dora, enzo)).toEqual([200, 404]);
    expect(roles(group)).toEqual({ [anna.pn]: "superadmin", [carla.pn]: "member", [dora.pn]: "admin" });
    expect(await change("demote", dora)).toEqual([200]);
    expect(await change("remove", dora, enzo)).toEqual([200, 404]);
    expect(roles(group)).toEqual({ [anna.pn]: "superadmin", [carla.pn]: "member" });
    await dora.act((phone) => changeMembers(phone, group, "add", [dora.pn]));
    await carla.act((phone) => leaveGroup(phone, group));
    expect(await change("add", carla)).toEqual([408]);
  });

  it("stops sending to a removed member, and sends to an added one", async () => {
    const group = await ours("Writing", carla);
    const text = (words: string) => session.sendAndSettle(group, { kind: "text", text: words, preview: null });
    await text("to carla");
    await done(session, "groups.participants", { group_id: group, action: "add", participants: [person(dora)] });
    const both = await text("to both");
    await Promise.all([carla, dora].map((phone) => shown(phone, ({ message_id }) => message_id === both.id)));
    await done(session, "groups.participants", { group_id: group, action: "remove", participants: [person(carla)] });
    const one = await text("to dora");
    await shown(dora, ({ message_id }) => message_id === one.id);
    expect(carla.inbox().some(({ message_id }) => message_id === one.id)).toBe(false);
    expect(carla.troubles).toEqual([]);
  });

  it("is refused admin actions as an ordinary member", async () => {
    const group = await theirs(dora);
    await carla.act((phone) => setGroup(phone, group, { locked: true }));
    const notAdmin = refusal({ code: "not_group_admin" });
    expect(await ask(session, "groups.subject", { group_id: group, subject: "Mine" })).toEqual(notAdmin);
    expect(await ask(session, "groups.setting", { group_id: group, setting: { messages_admins_only: true } })).toEqual(notAdmin);
    expect(await ask(session, "groups.participants", { group_id: group, action: "remove", participants: [person(dora)] })).toEqual(
      notAdmin,
    );
    expect(await ask(session, "groups.invite", { group_id: group })).toEqual(notAdmin);
    expect(await ask(session, "groups.revoke_invite", { group_id: group })).toEqual(notAdmin);
    expect(await ask(session, "groups.requests", { group_id: group })).toEqual(notAdmin);
    expect(await ask(session, "groups.picture", { group_id: group, picture: null })).toEqual(notAdmin);
  });

  it("sees a community's announcement group completely, though its members are hidden", async () => {
    const group = await theirs(dora);
    const parent = "120363000000000077@g.us";
    world.network.setCommunity(group, { parent, announcements: true, hides_members: true });
    await carla.act((phone) => setGroup(phone, group, { announce: true }));
    const read = await done(session, "groups.get", { group_id: group });
    expect(read).toMatchObject({ community_id: parent, is_announcement_group: true, settings: { messages_admins_only: true }, size: 3 });
    expect(read.participants.map(({ role }) => role)).toEqual(["superadmin"]);
    const { outcome } = await session.sendAndSettle(group, { kind: "text", text: "to all", preview: null });
    expect(outcome).toMatchObject({ kind: "refused", failure: { code: "not_group_admin" } });
    const { message_id } = must(await carla.sendText(group, "an announcement"));
    expect(await session.received(message_id)).toMatchObject({ chat_id: group, text: "an announcement" });
  });

  it("reads, revokes and uses invite codes", async () => {
    const group = await ours("Invited");
    const first = await done(session, "groups.invite", { group_id: group });
    expect(first.link.endsWith(`/${first.code}`)).toBe(true);
    must(await dora.act((phone) => joinGroup(phone, first.code)));
    const second = await done(session, "groups.revoke_invite", { group_id: group });
    expect(second.code).not.toBe(first.code);
    expect(view(group).invite_code).toBe(second.code);

    const other = await carla.act((phone) => createGroup(phone, "Open house", []));
    const { invite_code } = view(must(other).group_id, carla);
    const preview = await done(session, "groups.preview", { code: invite_code! });
    expect(preview).toMatchObject({
      group_id: must(other).group_id,
      subject: "Open house",
      owner: named(carla),
      size: 1,
      join_approval: false,
    });
    expect(await done(session, "groups.join", { code: invite_code! })).toEqual({ group_id: must(other).group_id, pending: false });
    expect(roles(must(other).group_id)).toHaveProperty(anna.pn, "member");
    // Joining again as a member succeeds.
    expect(await done(session, "groups.join", { code: invite_code! })).toEqual({ group_id: must(other).group_id, pending: false });
    for (const code of [first.code, "neverGivenOut00"]) {
      expect(await ask(session, "groups.preview", { code })).toEqual(refusal({ code: "group_not_found" }));
      expect(await ask(session, "groups.join", { code })).toEqual(refusal({ code: "invite_invalid" }));
    }
  });

  it("asks to join where a group requires approval, and decides on requests as an admin", async () => {
    const closed = must(await carla.act((phone) => createGroup(phone, "Closed", []))).group_id;
    await carla.act((phone) => setGroup(phone, closed, { join_approval: true }));
    const { invite_code } = view(closed, carla);
    expect(await done(session, "groups.join", { code: invite_code! })).toEqual({ group_id: closed, pending: true });
    expect(view(closed, carla).requests).toEqual([anna.pn]);

    const group = await ours("Approval");
    await done(session, "groups.setting", { group_id: group, setting: { join_approval: true } });
    const { code } = await done(session, "groups.invite", { group_id: group });
    for (const phone of [dora, enzo]) must(await phone.act((parts) => joinGroup(parts, code)));
    const { requests } = await done(session, "groups.requests", { group_id: group });
    expect(requests).toEqual([
      { person: named(dora), method: "invite_link", requested_at: expect.any(Number) },
      { person: named(enzo), method: "invite_link", requested_at: expect.any(Number) },
    ]);
    const decide = async (verdict: "approve" | "reject", ...people: SimulatedPhone[]) =>
      (await done(session, "groups.decide", { group_id: group, verdict, participants: people.map(person) })).participants.map(
        (one) => one.code,
      );
    expect(await decide("approve", dora, carla)).toEqual([200, 404]);
    expect(await decide("reject", enzo)).toEqual([200]);
    expect(roles(group)).toEqual({ [anna.pn]: "superadmin", [dora.pn]: "member" });
    expect(view(group).requests).toEqual([]);
  });

  it("leaves only once", async () => {
    const group = await theirs();
    await done(session, "groups.leave", { group_id: group });
    expect(view(group, carla).participants.map(({ phone }) => phone)).toEqual([carla.pn]);
    expect(await ask(session, "groups.leave", { group_id: group })).toEqual(refusal({ code: "group_not_found" }));
    await session.waitForEvent("group.removed", ({ group_id }) => group_id === group);
  });

  it("reports the network's rate limit", async () => {
    world.network.faults.add({ phone: anna.pn, kind: "iq_error", code: 429, xmlns: "w:g2" });
    expect(await ask(session, "groups.refresh", {})).toEqual(refusal({ code: "network_rate_limited", retryAfter: 60 }));
  });
});

describe("a network that does not answer", () => {
  let world: World;
  let anna: SimulatedPhone;
  let session: Session;
  let restoreTimeouts: () => void;
  beforeAll(async () => {
    world = await openWorld();
    anna = await world.newPhone("Anna");
    session = new Session(world, {}, { defaultQueryTimeoutMs: QUERY_TIMEOUT_MS });
    await session.connect((qr) => anna.scan(qr)).ready();
    restoreTimeouts = shortenQueryTimeouts();
  });
  afterAll(async () => {
    restoreTimeouts();
    await session.end();
    await world.close();
  });
  // Drops every response in this namespace, because a newly opened session queries its groups too.
  const silence = (xmlns: string) => {
    world.network.faults.clear();
    world.network.faults.add({ phone: anna.pn, kind: "swallow_answer", times: 50, xmlns });
  };

  it("leaves only the outcome of creations unknown", async () => {
    silence("w:g2");
    expect(await ask(session, "groups.create", { subject: "Doubtful", participants: [] })).toEqual(
      refusal({ code: "send_outcome_unknown" }),
    );
    const { group_id } = await eventually("the group", 60_000, () =>
      session
        .eventsOf("group.snapshot")
        .map(({ group }) => group)
        .find(({ subject }) => subject === "Doubtful"),
    );
    silence("w:g2");
    expect(await ask(session, "groups.subject", { group_id, subject: "Again" })).toEqual(refusal({ code: "network_timeout" }));
    silence("w:g2");
    expect(await ask(session, "groups.refresh", {})).toEqual(refusal({ code: "network_timeout" }));
    silence("w:profile:picture");
    expect(await ask(session, "groups.picture", { group_id, picture: null })).toEqual(refusal({ code: "network_timeout" }));
  });

  it("never sends a query on a closed socket", async () => {
    await session.sock.ws.close();
    await eventually("closed", 60_000, () => !session.sock.ws.isOpen);
    expect(await ask(session, "groups.refresh", {})).toEqual(refusal({ code: "instance_reconnecting" }));
  });
});
