// Broken connections: to the network during the offline replay (docs/internals/durability.md, "How messages get lost"), and to the store.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import { eventually } from "../../support/eventually.ts";
import { allConfirmed, inAnyOrder, openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
const WAITING = 50;

let world: World;
let bridge: BridgeProcess;

beforeAll(async () => {
  world = await openWorld();
  bridge = await world.startBridge();
});
afterEach(() => {
  world.network.faults.clear();
  world.network.blobs.trouble = null;
  world.gateway.roundTripMs = 0;
  world.gateway.silent = false;
});
afterAll(() => world.close());

it("a connection that breaks during the offline replay loses nothing (L3)", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const texts = Array.from({ length: WAITING }, (_, at) => `waiting ${at}`);
  world.network.faults.add({ phone: phone.pn, kind: "hold" });
  for (const text of texts) await friend.sendText(`${phone.pn}@c.us`, text);
  world.gateway.roundTripMs = 20;

  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  let receipts = 0;
  const receive = world.network.receive.bind(world.network);
  world.network.receive = (from, stanza) => {
    receive(from, stanza);
    if (from !== device || stanza.tag !== "receipt") return;
    receipts += 1;
    if (receipts === 5) device?.online?.drop?.();
  };
  world.network.faults.add({ phone: phone.pn, kind: "release" });
  await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).length >= WAITING);
  world.network.receive = receive;
  expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(texts));
  await allConfirmed(world, phone);
  expect(connection.of("session.closed").map(({ code, reason }) => [code, reason])).toContainEqual([428, "lost"]);
});

it("queued messages are marked as offline and keep their order", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  world.network.faults.add({ phone: phone.pn, kind: "hold" });
  const texts = Array.from({ length: WAITING }, (_, at) => `waiting ${at}`);
  for (const text of texts) await friend.sendText(`${phone.pn}@c.us`, text);
  world.network.faults.add({ phone: phone.pn, kind: "release" });
  await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).length >= WAITING);
  expect(receivedTexts(connection)).toEqual(texts);
  const origins = connection
    .of("message.upsert")
    .filter(({ message }) => message.text?.startsWith("waiting"))
    .map(({ origin }) => origin);
  expect(new Set(origins)).toEqual(new Set(["offline"]));
});

it("traffic continues when the gateway closes the session sockets", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const silences = () => bridge.output().split("store.silent").length - 1;
  const before = silences();
  const total = 60;
  world.gateway.roundTripMs = 10;
  for (let at = 0; at < total; at += 1) {
    await friend.sendText(`${phone.pn}@c.us`, `in ${at}`);
    if (at % 20 === 10) world.gateway.dropSessions();
  }
  await eventually("all at the connection", TIMEOUT_MS, () => receivedTexts(connection).length >= total);
  expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(Array.from({ length: total }, (_, at) => `in ${at}`)));
  // The network socket stays open; only the restart after pairing closed one. A store that is silent for 5 s closes it too, which happens
  // here only if the machine stalls.
  const silent = Array.from({ length: silences() - before }, () => 428);
  expect(connection.of("session.closed").map(({ code }) => code)).toEqual([515, ...silent]);
  await eventually("the session's socket", TIMEOUT_MS, () => connection.socket);
  await sendText(connection, friend, "and out");
  await eventually("the answer at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("and out"));
});

it("a send without a network socket is settled by an event", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 503, times: 50 });
  await eventually("the line to be lost", TIMEOUT_MS, () => connection.of("session.closed").some(({ code }) => code === 503));
  await expect(sendText(connection, friend, "no line")).rejects.toThrow("not taken: instance_reconnecting");
  const settled = () => connection.of("send.settled").map(({ outcome }) => outcome);
  await eventually("the event", TIMEOUT_MS, () => settled().length > 0);
  expect(settled()).toEqual([{ kind: "refused", failure: { code: "instance_reconnecting" } }]);
});

it("a send that this bridge does not support is settled by an event", async () => {
  const { connection } = await world.link();
  const newer = { message_id: "3EB0AAAAAAAAAAAAAAAA", content: { kind: "hologram" } } as never;
  expect(await connection.command("send", newer, 10_000)).toEqual({ ok: false, failure: { code: "not_supported" } });
  await eventually("the event", TIMEOUT_MS, () => connection.of("send.settled").length > 0);
  expect(connection.of("send.settled")).toMatchObject([
    { message_id: "3EB0AAAAAAAAAAAAAAAA", outcome: { kind: "refused", failure: { code: "not_supported" } } },
  ]);
});

it("messages stay queued at the network while the store does not answer", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  await allConfirmed(world, phone);
  world.gateway.silent = true;
  await friend.sendText(`${phone.pn}@c.us`, "nobody stores this");
  await eventually("the network socket to be given up", TIMEOUT_MS, () => device?.online === undefined);
  expect([...(device?.queue.entries() ?? [])].filter(({ stanza }) => stanza.tag === "message")).toHaveLength(1);
  expect(receivedTexts(connection)).toEqual([]);

  world.gateway.silent = false;
  world.gateway.dropSessions();
  await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("nobody stores this"));
  await eventually("the session to be open again", TIMEOUT_MS, () => device?.online !== undefined);
  await allConfirmed(world, phone);
});

it("running downloads end when another bridge holds their session", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const downloads = () => world.network.stats.downloads;
  const before = downloads();
  world.network.blobs.trouble = { kind: "drip" };
  for (let at = 0; at < 9; at += 1) {
    const file = { bytes: Buffer.alloc(100_000, at), mimetype: "text/plain", filename: `${at}.txt` };
    await friend.send(`${phone.pn}@c.us`, { type: "document", file, caption: null });
  }
  await eventually("all downloads that a session may have", TIMEOUT_MS, () => downloads() === before + 8);
  connection.generation += 1;
  world.gateway.dropSessions();
  await eventually("the end of the downloads", TIMEOUT_MS, () => world.network.stats.open_downloads === 0);
  // The waiting download is not started.
  expect(downloads()).toBe(before + 8);
});

it("a session is dropped at once when another bridge holds it", async () => {
  const { connection, phone } = await world.link();
  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  // The connection has a newer generation, which this bridge does not know.
  connection.generation += 1;
  world.gateway.dropSessions();
  await eventually("the network socket to be closed", TIMEOUT_MS, () => device?.online === undefined);
  const gone = (): boolean =>
    world.gateway.controlFrames.some((frame) => frame.type === "gone" && frame.placement.connection === connection.id);
  await eventually("the pool to be told", TIMEOUT_MS, gone);
});
