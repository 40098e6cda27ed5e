import type { BinaryNode } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BaileysClient } from "../../support/bridge/baileys-client.ts";
import { chatOf, jidOf, must, openWorld, shown, type World } from "./world.ts";

describe("messages that could not be opened at first", () => {
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // Unmodified clients address phone numbers instead of LIDs and send no tokens.
    world = await openWorld({ lidOnly: false, needsToken: false });
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    bob = await world.newPhone("Bob");
    const first = must(await bob.sendText(chatOf(anas), "so that both have a session"));
    await ana.message(first.message_id);
    await ana.send(jidOf(bob), { text: "and have used it" });
    await shown(bob, ({ text }) => text === "and have used it");
  });
  afterAll(() => world.close());

  const loseKeys = (prefix: string, owner: string) => {
    const lost = [...ana.auth.kept.keys()].filter((key) => key.startsWith(prefix) && key.includes(owner));
    for (const key of lost) ana.auth.kept.delete(key);
    return lost.length;
  };
  const lidOf = (phone: SimulatedPhone) => world.network.directory.account(phone.pn)?.lid ?? "";

  it("are sent again in a new session when a linked device has lost its own", async () => {
    expect(loseKeys("session|", lidOf(bob))).toBeGreaterThan(0);
    const { message_id } = must(await bob.sendText(chatOf(anas), "sent twice, shown once"));
    expect((await ana.message(message_id)).message?.conversation).toBe("sent twice, shown once");
    expect(bob.deps.counters.retriesAnswered).toBe(1);
    const after = must(await bob.sendText(chatOf(anas), "and the next one at once"));
    await ana.message(after.message_id);
    expect(bob.deps.counters.retriesAnswered).toBe(1);
  });

  it("are asked for again by a phone that has lost its session, and counted as one", async () => {
    expect(await bob.loseSessionsWith(anas.pn)).toBe(2);
    const sent = await ana.send(jidOf(bob), { text: "asked for again" });
    const record = await shown(bob, ({ message_id }) => message_id === sent.key.id);
    expect(record).toMatchObject({ text: "asked for again", duplicates: 0 });
    expect(bob.deps.counters).toMatchObject({ undecryptable: 1, retriesAsked: 1 });
    const next = await ana.send(jidOf(bob), { text: "the next one" });
    await shown(bob, ({ message_id }) => message_id === next.key.id);
    expect(bob.deps.counters.undecryptable).toBe(1);
  });

  it("are sent again to a device of a group that lacks the sender's key", async () => {
    const { group_id: group } = must(await bob.act((deps) => createGroup(deps, "Team", [anas.pn])));
    await ana.message(must(await bob.sendText(group, "with the key")).message_id);
    expect(loseKeys("sender-key|", group)).toBeGreaterThan(0);
    const { message_id } = must(await bob.sendText(group, "without the key"));
    expect((await ana.message(message_id)).message?.conversation).toBe("without the key");
    await ana.message(must(await bob.sendText(group, "with the key again")).message_id);
  });

  it("are counted as a second copy when the sender sends them again", async () => {
    const sent = await ana.send(jidOf(bob), { text: "once" });
    await shown(bob, ({ message_id }) => message_id === sent.key.id);
    await ana.sock.relayMessage(jidOf(bob), sent.message ?? {}, { messageId: sent.key.id ?? "" });
    const record = await shown(bob, ({ message_id, duplicates }) => message_id === sent.key.id && duplicates === 1);
    expect(record.text).toBe("once");
    expect(bob.inbox().filter(({ message_id }) => message_id === sent.key.id)).toHaveLength(1);
    expect(bob.deps.counters.duplicates).toBe(1);
  });

  it("are not counted as a second copy when the server delivers them again", async () => {
    const device = world.network.directory.device(jidOf(bob));
    const before = bob.deps.counters.duplicates;
    // The link records delivered stanzas and delivers them again, as after a lost receipt.
    const carried: BinaryNode[] = [];
    const link = device?.online;
    if (!device || !link) throw new Error("the phone is not connected");
    world.network.attach(device, { active: true, end: () => {}, send: (stanza) => (carried.push(stanza), link.send(stanza)) });
    const sent = await ana.send(jidOf(bob), { text: "repeated by the server" });
    await shown(bob, ({ message_id }) => message_id === sent.key.id);
    for (const stanza of carried.filter(({ attrs, tag }) => tag === "message" && attrs["id"] === sent.key.id)) link.send(stanza);
    await bob.idle();
    expect(bob.deps.counters.duplicates).toBe(before);
    expect(bob.inbox().find(({ message_id }) => message_id === sent.key.id)?.duplicates).toBe(0);
  });
});
