// Group operations: commands sent to the bridge, stored state, and cases without a command.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { GroupSnapshot } from "@gateway/protocol/groups.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { allEnded, PHONE, TestConnection } from "../fakes/connection.ts";

const GROUP = "120363000000000001@g.us";
const OTHER_GROUP = "120363000000000002@g.us";
const me = { phone: PHONE, lid: null };
const ana = { phone: "5511900000011", lid: null };
const bia = { phone: "5511900000012", lid: "77" };
const settings = {
  messages_admins_only: false,
  info_admins_only: false,
  members_can_add: false,
  join_approval: false,
  disappearing_seconds: 0,
};
const group: GroupSnapshot = {
  group_id: GROUP,
  subject: "Vendas",
  description: "d",
  owner: me,
  created_at: 1_760_000_000,
  settings,
  community_id: null,
  is_announcement_group: false,
  participants: [
    { person: me, role: "superadmin" },
    { person: ana, role: "member" },
  ],
};
const query = { limit: 50, cursor: null, q: null, refresh: false };

/** A connected number in one known group. */
async function inGroup() {
  const world = await TestConnection.connected();
  await world.session.commit([{ type: "group.snapshot", group }]);
  return world;
}
afterEach(allEnded);

const subjects = async (connection: TestConnection, change: Partial<OperationInput<"groups.list">> = {}) => {
  const listed = await connection.ask("groups.list", { ...query, ...change });
  return listed.ok ? listed.value.items.map(({ subject }) => subject) : listed.code;
};

describe("the list of groups", () => {
  it("comes from the store, by name, in pages, and can be searched", async () => {
    const { connection, session } = await inGroup();
    for (const [at, subject] of ["Amigos", "Zeladoria", "Família"].entries()) {
      await session.commit([{ type: "group.snapshot", group: { ...group, group_id: `12036300000000001${at}@g.us`, subject } }]);
    }
    expect(await subjects(connection)).toEqual(["Amigos", "Família", "Vendas", "Zeladoria"]);
    expect(await subjects(connection, { q: "famil" })).toEqual(["Família"]);
    const first = await connection.ask("groups.list", { ...query, limit: 3 });
    if (!first.ok) throw new Error(first.code);
    expect(first.value.items[0]).not.toHaveProperty("participants");
    expect(await subjects(connection, { cursor: first.value.next_cursor })).toEqual(["Zeladoria"]);
    expect(session.commands).toEqual([]);
  });

  it("is refreshed on request, at most once in ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, session } = await inGroup();
    const refreshed = subjects(connection, { refresh: true });
    await session.commit([{ type: "group.snapshot", group: { ...group, group_id: OTHER_GROUP, subject: "Nova" } }]);
    await session.answer("groups.refresh", { group_ids: [OTHER_GROUP] });
    // Groups missing from the list were left while the session was away.
    expect(await refreshed).toEqual(["Nova"]);
    expect(await subjects(connection, { refresh: true })).toEqual(["Nova"]);
    vi.setSystemTime(Date.now() + 600_000);
    const again = subjects(connection, { refresh: true });
    await session.answer("groups.refresh", { group_ids: [OTHER_GROUP] });
    expect(await again).toEqual(["Nova"]);
  });

  it("keeps groups joined during a refresh", async () => {
    const { connection, session } = await inGroup();
    const refreshed = subjects(connection, { refresh: true });
    await session.frames.seen("command");
    await session.commit([{ type: "group.snapshot", group: { ...group, group_id: OTHER_GROUP, subject: "Nova" } }]);
    await session.answer("groups.refresh", { group_ids: [GROUP] });
    expect(await refreshed).toEqual(["Nova", "Vendas"]);
  });

  it("answers the network's refusal, and does not retry", async () => {
    const { connection, session } = await inGroup();
    const refreshed = connection.ask("groups.list", { ...query, refresh: true });
    await session.refuse("groups.refresh", { code: "network_rate_limited", retryAfter: 60 });
    expect(await refreshed).toEqual({ ok: false, code: "network_rate_limited", retryAfter: 60 });
    expect(await subjects(connection, { refresh: true })).toEqual(["Vendas"]);
  });

  it("may be refreshed as soon as the number is connected, when it was not", async () => {
    const connection = await TestConnection.create();
    for (const _ of [1, 2]) expect(await subjects(connection, { refresh: true })).toBe("instance_not_connected");
    expect(await subjects(connection)).toEqual([]);
  });
});

describe("a group", () => {
  it("comes from the store if it was read recently, and from the network later", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, session } = await inGroup();
    expect(await connection.ask("groups.get", { group_id: GROUP })).toMatchObject({
      value: { subject: "Vendas", my_role: "superadmin", size: 2, participants: [{ role: "superadmin" }, { role: "member" }] },
    });
    vi.setSystemTime(Date.now() + 301_000);
    const asked = connection.ask("groups.get", { group_id: GROUP });
    expect(await session.answer("groups.get", { ...group, subject: "Vendas 2" })).toEqual({ group_id: GROUP });
    expect(await asked).toMatchObject({ value: { subject: "Vendas 2" } });
  });

  it("has its size and lists the number as a member if its members are hidden", async () => {
    const { connection, session } = await inGroup();
    const hidden = { ...group, size: 500, participants: [{ person: ana, role: "superadmin" as const }] };
    await session.commit([{ type: "group.snapshot", group: hidden }]);
    const read = () => connection.ask("groups.get", { group_id: GROUP });
    expect(await read()).toMatchObject({ value: { my_role: "member", size: 500, participants: [{ role: "superadmin" }] } });
    const change = (action: "join" | "leave"): NetworkEvent => ({
      type: "group.participants",
      chat_id: GROUP,
      action,
      participants: [{ person: bia, is_me: false }],
      by: null,
      reason: null,
      timestamp: 1,
    });
    await session.commit([change("join")]);
    expect(await read()).toMatchObject({ value: { size: 501 } });
    await session.commit([change("leave")]);
    expect(await read()).toMatchObject({ value: { size: 500 } });
  });

  it("is answered as it was stored when the network cannot be asked", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection } = await inGroup();
    await connection.ask("instance.disconnect", {});
    vi.setSystemTime(Date.now() + 301_000);
    expect(await connection.ask("groups.get", { group_id: GROUP })).toMatchObject({ value: { subject: "Vendas" } });
    expect(await connection.ask("groups.get", { group_id: OTHER_GROUP })).toMatchObject({ code: "instance_not_connected" });
  });

  it("is removed when the network says that the number is not in it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, session } = await inGroup();
    vi.setSystemTime(Date.now() + 301_000);
    const asked = connection.ask("groups.get", { group_id: GROUP });
    await session.refuse("groups.get", { code: "not_group_admin" });
    expect(await asked).toMatchObject({ code: "not_group_admin" });
    expect(await subjects(connection)).toEqual([]);
  });

  it("is answered as created: without what was refused afterwards", async () => {
    const { connection, session } = await TestConnection.connected();
    const input = {
      subject: "Vendas",
      participants: [`${ana.phone}@c.us`, `${bia.phone}@c.us`, `${ana.phone}@c.us`],
      description: "d",
      join_approval: true,
    };
    const created = connection.ask("groups.create", input);
    const answer = {
      group: { ...group, description: null },
      participants: [
        { person: ana, code: 200 },
        { person: bia, code: 403 },
      ],
    };
    expect(await session.answer("groups.create", answer)).toEqual({
      subject: "Vendas",
      participants: [ana, { phone: bia.phone, lid: null }],
      description: "d",
      join_approval: true,
    });
    await session.refuse("groups.description", { code: "network_rate_limited" });
    expect(await session.answer("groups.setting")).toEqual({ group_id: GROUP, setting: { join_approval: true } });
    expect(await created).toMatchObject({
      value: {
        group: { group_id: GROUP, description: null, settings: { join_approval: true }, participants: [{}, {}] },
        participants: [
          { person: ana, status: "ok", code: 200, reason: null },
          { person: bia, status: "failed", code: 403, reason: "privacy" },
        ],
      },
    });
    expect(
      await connection.ask("chats.list", { limit: 10, cursor: null, archived: null, unread: null, kind: "group", label_id: null, q: null }),
    ).toMatchObject({
      value: { items: [{ chat_id: GROUP, name: "Vendas" }] },
    });
  });

  it("shows own changes at once, whether or not the network reports them", async () => {
    const { connection, session } = await inGroup();
    const change = async (asked: Promise<unknown>, command: string, output: unknown = {}) => {
      await session.answer(command, output);
      return asked;
    };
    await change(connection.ask("groups.subject", { group_id: GROUP, subject: "Nome" }), "groups.subject");
    await change(connection.ask("groups.description", { group_id: GROUP, description: null }), "groups.description");
    const link = { code: "abc", link: "https://example.com/abc" };
    expect(await change(connection.ask("groups.invite", { group_id: GROUP }), "groups.invite", link)).toEqual({ ok: true, value: link });
    expect(await connection.ask("groups.get", { group_id: GROUP })).toMatchObject({
      value: { subject: "Nome", description: null, invite_link: link.link },
    });
    await session.commit([{ type: "group.updated", chat_id: GROUP, by: ana, changed: { invite_link_changed: true }, timestamp: 1 }]);
    expect(await connection.ask("groups.get", { group_id: GROUP })).toMatchObject({ value: { invite_link: null } });
    await change(connection.ask("groups.leave", { group_id: GROUP }), "groups.leave");
    expect(await subjects(connection)).toEqual([]);
  });

  it("is left when it is deleted, and its chat removed from all devices; once left, only the chat", async () => {
    const { connection, session } = await inGroup();
    await session.commit([
      {
        type: "group.participants",
        chat_id: GROUP,
        action: "join",
        participants: [{ person: me, is_me: true }],
        by: null,
        reason: "added",
        timestamp: 1,
      },
    ]);
    const deleted = () => connection.ask("groups.delete", { group_id: GROUP });
    const first = deleted();
    await session.answer("groups.leave");
    await session.refuse("chats.delete", { code: "network_timeout" });
    expect(await first).toMatchObject({ code: "network_timeout" });
    expect(await subjects(connection)).toEqual([]);
    const again = deleted();
    await session.refuse("groups.leave", { code: "group_not_found" });
    expect(await session.answer("chats.delete")).toEqual({ chat_id: GROUP, range: [] });
    expect(await again).toEqual({ ok: true, value: {} });
    await session.commit([{ type: "chat.deleted", chat_id: GROUP }]);
    const last = deleted();
    await session.refuse("groups.leave", { code: "group_not_found" });
    expect(await last).toMatchObject({ code: "group_not_found" });
  });

  it("keeps the settings accepted before one was refused", async () => {
    const { connection, session } = await inGroup();
    const changed = connection.ask("groups.settings", { group_id: GROUP, settings: { messages_admins_only: true, join_approval: true } });
    expect(await session.answer("groups.setting")).toEqual({ group_id: GROUP, setting: { messages_admins_only: true } });
    await session.refuse("groups.setting", { code: "not_group_admin" });
    expect(await changed).toMatchObject({ code: "not_group_admin" });
    expect(await connection.ask("groups.get", { group_id: GROUP })).toMatchObject({
      value: { settings: { ...settings, messages_admins_only: true } },
    });
  });
});

describe("a change of participants", () => {
  async function change(
    action: "add" | "remove" | "promote" | "demote",
    answers: { person: typeof bia | typeof me; code: number | null }[],
  ) {
    const { connection, session } = await inGroup();
    const people = { group_id: GROUP, participants: answers.map(({ person }) => `${person.phone}@c.us`) };
    const asked =
      action === "remove"
        ? connection.ask("groups.remove_participants", people)
        : connection.ask("groups.participants", { ...people, action });
    await session.answer("groups.participants", { participants: answers });
    const outcome = await asked;
    const kept = await connection.ask("groups.get", { group_id: GROUP });
    if (!kept.ok) throw new Error(kept.code);
    const roles = Object.fromEntries((kept.value.participants ?? []).map(({ person, role }) => [person.phone, role]));
    return { outcome, roles, kept: kept.value };
  }

  it("answers a result per person and is stored if it succeeds for some", async () => {
    const { outcome, roles, kept } = await change("add", [
      { person: bia, code: 200 },
      { person: ana, code: 409 },
    ]);
    expect(outcome).toMatchObject({
      value: {
        items: [
          { status: "ok", reason: null },
          { status: "failed", code: 409, reason: "already_member" },
        ],
      },
    });
    expect(roles).toEqual({ [PHONE]: "superadmin", [ana.phone]: "member", [bia.phone]: "member" });
    expect(kept.size).toBe(3);
  });

  it("fails if it is refused for everybody", async () => {
    const { outcome, roles } = await change("promote", [{ person: ana, code: 403 }]);
    expect(outcome).toMatchObject({ ok: false, code: "not_group_admin" });
    expect(roles).toEqual({ [PHONE]: "superadmin", [ana.phone]: "member" });
  });

  it("changes our own role if it is about ourselves", async () => {
    const { kept } = await change("demote", [{ person: me, code: 200 }]);
    expect(kept.my_role).toBe("member");
  });
});

describe("a command that gets no answer", () => {
  it("has an unknown outcome only when it creates something", async () => {
    const { connection, session } = await inGroup();
    const created = connection.ask("groups.create", { subject: "x", participants: [], description: null, join_approval: null });
    const named = connection.ask("groups.subject", { group_id: GROUP, subject: "x" });
    const read = connection.ask("groups.requests", { group_id: GROUP });
    for (const name of ["groups.create", "groups.subject", "groups.requests"])
      await session.frames.next("command", (frame) => frame.name === name);
    session.drop();
    expect(await created).toEqual({ ok: false, code: "send_outcome_unknown" });
    expect(await named).toMatchObject({ code: "instance_reconnecting" });
    expect(await read).toMatchObject({ code: "instance_reconnecting" });
  });
});
