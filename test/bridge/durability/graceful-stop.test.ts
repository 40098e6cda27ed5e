// A bridge told to exit reports the outcome of every send in progress (docs/internals/sends.md, "Outcomes").
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { startLoopbackProxy } from "../../support/bridge/loopback-proxy.ts";
import { chatOf, must } from "../phones/world.ts";
import { openWorld, receivedTexts, sendText, shownTexts, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => {
  world.network.faults.clear();
  world.network.blobs.trouble = null;
  world.gateway.withheld = null;
  world.gateway.roundTripMs = 0;
  world.gateway.deaf = false;
});
afterAll(() => world.close());

const outcomesOf = (connection: FakeConnection) => connection.of("send.settled").map(({ outcome }) => outcome);

/** A bridge with a send that waits for a new contact's keys, which never arrive. */
async function waitingForKeys() {
  const bridge = await world.startBridge();
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  world.network.faults.add({ phone: phone.pn, kind: "swallow_answer", xmlns: "encrypt" });
  await sendText(connection, friend, "first contact");
  await eventually("the keys to be asked for", TIMEOUT_MS, () => world.network.faults.list().length === 0);
  return { bridge, connection, phone, friend };
}

it("a stopping bridge reports a send that waits for a new contact's keys as not sent", async () => {
  const { bridge, connection, friend } = await waitingForKeys();
  // Without this row, the send was certainly not sent, even if the bridge is killed now.
  expect(connection.rowsOf("sent")).toEqual([]);

  expect(await bridge.terminate()).toBe(0);
  expect(outcomesOf(connection)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
  expect(connection.rowsOf("sent")).toEqual([]);
  expect(shownTexts(friend)).toEqual([]);
});

it("a stopping bridge reports a send that waits for the store as not sent, and nothing else before", async () => {
  const bridge = await world.startBridge();
  const { connection, phone } = await world.link();
  const friend = await world.newPhone();
  await sendText(connection, friend, "known from now on");
  await eventually("the first one", TIMEOUT_MS, () => outcomesOf(connection).length === 1);
  const before = connection.rowsOf("sent");

  const { promise, resolve: confirm } = Promise.withResolvers<void>();
  // The first message's receipt may still be written; its commit must not hold back the second message's row.
  world.gateway.withheld = { rowType: "sent", until: promise };
  await sendText(connection, friend, "behind the gate");
  await eventually("the row that says it may go", TIMEOUT_MS, () => connection.rowsOf("sent").length > before.length);
  const ended = bridge.terminate();
  const device = world.network.directory.account(phone.pn)?.devices.get(1);
  await eventually("the network socket to be closed", TIMEOUT_MS, () => device?.online === undefined);
  confirm();
  expect(await ended).toBe(0);
  expect(outcomesOf(connection).slice(1)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
  expect(connection.rowsOf("sent")).toEqual(before);
  expect(shownTexts(friend)).toEqual(["known from now on"]);
});

it("a session finishes its work in progress before it moves to another bridge", async () => {
  await world.startBridge();
  const { connection } = await world.link();
  const friend = await world.newPhone();
  await sendText(connection, friend, "known from now on");
  await eventually("the first one", TIMEOUT_MS, () => outcomesOf(connection).length === 1);
  const before = connection.rowsOf("sent");

  world.gateway.roundTripMs = 1_000;
  await sendText(connection, friend, "behind the gate");
  await eventually("the row that says it may go", TIMEOUT_MS, () => connection.rowsOf("sent").length > before.length);
  connection.stop(false, 30_000);
  await eventually("the session to end", TIMEOUT_MS, () => connection.socket === null);
  world.gateway.roundTripMs = 0;
  expect(outcomesOf(connection).map(({ kind }) => kind)).toEqual(["acknowledged", "acknowledged"]);
  expect(shownTexts(friend)).toEqual(["known from now on", "behind the gate"]);
});

it("a session returns its unfinished sends when it moves to another bridge", async () => {
  const { connection, friend } = await waitingForKeys();
  connection.stop(false, 300);
  await eventually("the session to end", TIMEOUT_MS, () => connection.socket === null);
  expect(outcomesOf(connection)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
  expect(connection.rowsOf("sent")).toEqual([]);
  expect(shownTexts(friend)).toEqual([]);
});

it("a session unlinks its device on request while it moves to another bridge", async () => {
  const { connection, phone } = await waitingForKeys();
  // The network unlinks the device only after the session's pending work would have timed out.
  world.network.faults.add({ phone: phone.pn, kind: "delay", ms: 1_500 });
  connection.stop(false, 500);
  connection.stop(true);
  await eventually("the session to end", TIMEOUT_MS, () => connection.socket === null);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(1);
});

it("a session ends at once on request while it moves to another bridge", async () => {
  const { connection } = await waitingForKeys();
  connection.stop(false, 10 * TIMEOUT_MS);
  connection.stop(false);
  await eventually("the session to end", TIMEOUT_MS, () => connection.socket === null);
  expect(outcomesOf(connection)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
});

it("a session does not wait for a download through its proxy before it moves to another bridge, which repeats it", async () => {
  const endlessDownloads = `const repeat = setInterval;
    globalThis.setInterval = (work, ...rest) => repeat(new Error().stack.includes("fetch-file.ts") ? () => {} : work, ...rest);`;
  await world.startBridge(`data:text/javascript,${encodeURIComponent(endlessDownloads)}`);
  const proxy = await startLoopbackProxy();
  const { connection, phone } = await world.link({ proxy_url: proxy.httpUrl });
  const friend = await world.newPhone();
  world.network.blobs.trouble = { kind: "silent" };
  const file = { bytes: Buffer.from("from there"), mimetype: "text/plain", filename: "in.txt" };
  must(await friend.send(chatOf(phone), { type: "document", file, caption: "in" }));
  await eventually("the download", TIMEOUT_MS, () => world.network.stats.open_downloads > 0);
  connection.stop(false);
  await eventually("the session to end", TIMEOUT_MS, () => connection.socket === null);
  world.network.blobs.trouble = null;
  world.gateway.place(connection);
  await eventually("the file", TIMEOUT_MS, () => receivedTexts(connection).includes("in"));
  const { message } = await connection.saw("message.upsert");
  expect(world.gateway.files.get(message.media?.token ?? "")?.bytes).toEqual(file.bytes);
  await proxy.close();
});

it("a removed connection's device is unlinked if the pool disowns it before its object can report the removal", async () => {
  await world.startBridge();
  const { connection, phone } = await world.link();
  connection.removed = true;
  // A deploy closes all sockets, and the pool responds first.
  world.gateway.deaf = true;
  connection.socket?.terminate();
  await eventually("the session to be cut off", TIMEOUT_MS, () => connection.socket === null);
  world.gateway.disown(connection);
  const { unheard } = world.gateway;
  await eventually("the bridge to have heard it", TIMEOUT_MS, () => world.gateway.unheard > unheard);
  world.gateway.deaf = false;
  await eventually("the device to be unlinked", TIMEOUT_MS, () => connection.rowsOf("creds").length === 0);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(1);
});

it("a removed connection's device is unlinked if the pool disowns it before the socket's end is noticed", async () => {
  await world.startBridge();
  const { connection, phone } = await world.link();
  connection.removed = true;
  world.gateway.disown(connection);
  await eventually("the device to be unlinked", TIMEOUT_MS, () => connection.rowsOf("creds").length === 0);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(1);
});

it("a stopping bridge stores its reports, even if told again to exit", async () => {
  const { bridge, connection } = await waitingForKeys();

  world.gateway.roundTripMs = 1_000;
  const { length } = world.gateway.controlFrames;
  const ended = bridge.terminate();
  await eventually("it to drain", TIMEOUT_MS, () => world.gateway.controlFrames.slice(length).some(({ type }) => type === "draining"));
  bridge.child.kill("SIGTERM");
  expect(await ended).toBe(0);
  world.gateway.roundTripMs = 0;
  expect(outcomesOf(connection)).toEqual([{ kind: "refused", failure: { code: "unavailable" } }]);
});
