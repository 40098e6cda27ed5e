// Lines that break: to the network while it hands over what waited (docs/durability.md, "How messages get lost"), and to the store.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { inAnyOrder, openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const PATIENCE_MS = 40_000;
const WAITING = 50;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

it("loses nothing when the line breaks while waiting messages are handed over (L3)", async () => {
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
  await eventually("all at the connection", PATIENCE_MS, () => receivedTexts(connection).length >= WAITING);
  world.network.receive = receive;
  expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(texts));
  await eventually("the network's queue to be empty", PATIENCE_MS, () => device?.queue.size === 0);
  expect(connection.of("session.closed").map(({ code, reason }) => [code, reason])).toContainEqual([428, "lost"]);
  world.gateway.roundTripMs = 0;
});

it("says of waiting messages that they waited, in their order", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  world.network.faults.add({ phone: phone.pn, kind: "hold" });
  const texts = Array.from({ length: WAITING }, (_, at) => `waiting ${at}`);
  for (const text of texts) await friend.sendText(`${phone.pn}@c.us`, text);
  world.network.faults.add({ phone: phone.pn, kind: "release" });
  await eventually("all at the connection", PATIENCE_MS, () => receivedTexts(connection).length >= WAITING);
  expect(receivedTexts(connection)).toEqual(texts);
  const origins = connection
    .of("message.upsert")
    .filter(({ message }) => message.text?.startsWith("waiting"))
    .map(({ origin }) => origin);
  expect(new Set(origins)).toEqual(new Set(["offline"]));
});

it("goes on when the gateway cuts its sockets in the middle of traffic", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const total = 60;
  world.gateway.roundTripMs = 10;
  for (let at = 0; at < total; at += 1) {
    await friend.sendText(`${phone.pn}@c.us`, `in ${at}`);
    if (at % 20 === 10) world.gateway.dropSessions();
  }
  await eventually("all at the connection", PATIENCE_MS, () => receivedTexts(connection).length >= total);
  expect(inAnyOrder(receivedTexts(connection))).toEqual(inAnyOrder(Array.from({ length: total }, (_, at) => `in ${at}`)));
  // The network socket stays up meanwhile: only the pairing's own restart closed one.
  expect(connection.of("session.closed").map(({ code }) => code)).toEqual([515]);
  await eventually("the session's socket", PATIENCE_MS, () => connection.socket);
  await sendText(connection, friend, "and out");
  await eventually("the answer at the friend", PATIENCE_MS, () => shownTexts(friend).includes("and out"));
  world.gateway.roundTripMs = 0;
});

it("tells of a send that finds no line, to whoever waits for the event alone", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 503, times: 50 });
  await eventually("the line to be lost", PATIENCE_MS, () => connection.of("session.closed").some(({ code }) => code === 503));
  await expect(sendText(connection, friend, "no line")).rejects.toThrow("not taken: instance_reconnecting");
  const settled = () => connection.of("send.settled").map(({ outcome }) => outcome);
  await eventually("the event", PATIENCE_MS, () => settled().length > 0);
  expect(settled()).toEqual([{ kind: "refused", failure: { code: "instance_reconnecting" } }]);
  world.network.faults.clear();
});

it("tells of a send that asks for what this bridge does not know", async () => {
  const { connection } = await world.link();
  const newer = { message_id: "3EB0AAAAAAAAAAAAAAAA", content: { kind: "hologram" } } as never;
  expect(await connection.command("send", newer)).toEqual({ ok: false, failure: { code: "not_supported" } });
  await eventually("the event", PATIENCE_MS, () => connection.of("send.settled").length > 0);
  expect(connection.of("send.settled")).toMatchObject([
    { message_id: "3EB0AAAAAAAAAAAAAAAA", outcome: { kind: "refused", failure: { code: "not_supported" } } },
  ]);
});

it("leaves messages with the network while the store does not answer", async () => {
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  world.gateway.silent = true;
  await friend.sendText(`${phone.pn}@c.us`, "nobody stores this");
  await eventually("the network socket to be given up", PATIENCE_MS, () => device?.online === undefined);
  expect([...(device?.queue.entries() ?? [])].filter(({ stanza }) => stanza.tag === "message")).toHaveLength(1);
  expect(receivedTexts(connection)).toEqual([]);

  world.gateway.silent = false;
  world.gateway.dropSessions();
  await eventually("the message", PATIENCE_MS, () => receivedTexts(connection).includes("nobody stores this"));
  await eventually("the session to be open again", PATIENCE_MS, () => device?.online !== undefined);
  await eventually("the network's queue to be empty", PATIENCE_MS, () => device?.queue.size === 0);
});

it("gives a session up at once when another bridge holds it", async () => {
  const { connection, phone } = await world.link();
  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  // A newer generation that this bridge is not told of.
  connection.generation += 1;
  world.gateway.dropSessions();
  await eventually("the network socket to be closed", PATIENCE_MS, () => device?.online === undefined);
  const gone = (): boolean =>
    world.gateway.controlFrames.some((frame) => frame.type === "gone" && frame.placement.connection === connection.id);
  await eventually("the pool to be told", PATIENCE_MS, gone);
});
