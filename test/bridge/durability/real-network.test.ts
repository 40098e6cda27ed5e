// How the real network affects a session over days, unlike a lenient one (test-network/README.md, "Strict and lenient").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { must } from "../phones/world.ts";
import { openWorld, receivedTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const STATUS = "status@broadcast";

let world: World;
let friend: SimulatedPhone;

beforeAll(async () => {
  world = await openWorld({ strict: true });
  await world.startBridge();
  friend = await world.newPhone("Friend");
});
afterAll(() => world.close());

const waiting = ({ pn }: SimulatedPhone): string[] =>
  [...(world.network.directory.device(`${pn}:1@s.whatsapp.net`)?.queue.entries() ?? [])].map(({ stanza }) => stanza.tag);
const emptied = (phone: SimulatedPhone) => eventually("an empty queue", TIMEOUT_MS, () => waiting(phone).length === 0);
const opened = (connection: FakeConnection, times: number) =>
  eventually("the session to be open", TIMEOUT_MS, () => connection.of("session.open").length === times);
const drop = ({ pn }: SimulatedPhone) => world.network.faults.add({ phone: pn, kind: "drop_socket" });

describe("a status post", () => {
  it("is reported once and acked, so it does not arrive again and closes no socket", async () => {
    const { connection, phone } = await world.link();
    must(await friend.sendText(STATUS, "my day", { audience: [phone.pn] }));
    await eventually("the post", TIMEOUT_MS, () => receivedTexts(connection).includes("my day"));
    await emptied(phone);
    expect(world.network.recycle(phone.pn)).toBe(0);
    drop(phone);
    await opened(connection, 2);
    must(await friend.sendText(STATUS, "my evening", { audience: [phone.pn] }));
    await eventually("the next post", TIMEOUT_MS, () => receivedTexts(connection).includes("my evening"));
    expect(receivedTexts(connection)).toEqual(["my day", "my evening"]);
    await emptied(phone);
  });

  it("is acked even if the connection ignores it", async () => {
    const { connection, phone } = await world.link({ ignore_status: true });
    must(await friend.sendText(STATUS, "unseen", { audience: [phone.pn] }));
    must(await friend.sendText(`${phone.pn}@c.us`, "seen"));
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("seen"));
    await emptied(phone);
    expect(receivedTexts(connection)).toEqual(["seen"]);
  });

  it("is acked even if it cannot be read, and holds nothing back", async () => {
    const { connection, phone } = await world.link();
    await emptied(phone);
    drop(phone);
    world.network.delivery.enqueue(world.network.directory.device(`${phone.pn}:1@s.whatsapp.net`)!, {
      tag: "status",
      attrs: { from: STATUS, participant: friend.deps.jid, id: "UNREADABLE", type: "text", t: String(Math.floor(Date.now() / 1000)) },
      content: [{ tag: "enc", attrs: { v: "2", type: "skmsg" }, content: Buffer.from("none") }],
    });
    must(await friend.sendText(`${phone.pn}@c.us`, "behind it"));
    await eventually("what is behind it", TIMEOUT_MS, () => receivedTexts(connection).includes("behind it"));
    await emptied(phone);
  });
});
