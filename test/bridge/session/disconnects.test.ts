// The meaning of each disconnect, and which ones lead to a reconnect (docs/internals/statuses.md, "How network sockets close").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openWorld, receivedTexts, sendText, shownTexts, type World } from "../durability/world.ts";
import { disconnectOf, ReconnectBudget } from "#root/session-bridge/networks/baileys/socket/disconnects.ts";

const TIMEOUT_MS = 60_000;
const DIRECT = { throughProxy: false, wasOpen: true };

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

describe.each([
  [428, "lost"],
  [408, "lost"],
  [503, "lost"],
  [515, "restart_required"],
  [500, "bad_session"],
] as const)("close %i", (code, reason) => {
  it("reconnects by itself", async () => {
    const { connection, phone } = await world.link();
    world.network.faults.add({ phone: phone.pn, kind: "close", code });
    await connection.saw("session.closed", (event) => event.code === code && event.reason === reason);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    const friend = await world.newPhone();
    await friend.sendText(`${phone.pn}@c.us`, "still there?");
    await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("still there?"));
    expect(connection.of("session.reconnecting")).toHaveLength(code === 515 ? 0 : 1);
    expect(connection.of("session.qr")).toHaveLength(1);
  });
});

it("a session reopens however often its connection ends without a code", async () => {
  const { connection, phone } = await world.link();
  world.network.faults.add({ phone: phone.pn, kind: "close", word: "ack", times: 3 });
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
  expect(connection.of("session.closed").slice(-3)).toMatchObject([1, 2, 3].map(() => ({ code: 0, reason: "lost" })));
  expect(connection.of("session.gave_up")).toEqual([]);
});

describe.each([
  [402, "temporarily_banned"],
  [403, "banned"],
  [406, "banned"],
  [415, "bad_session"],
  [418, "bad_session"],
  [440, "replaced"],
] as const)("close %i", (code, reason) => {
  it("stops, and keeps the credentials", async () => {
    const { connection, phone } = await world.link();
    world.network.faults.add({ phone: phone.pn, kind: "close", code });
    await connection.saw("session.closed", (event) => event.code === code && event.reason === reason);
    await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
    expect(connection.of("session.reconnecting")).toHaveLength(0);
    expect(connection.rowsOf("creds")).toHaveLength(1);
    // A new session continues without pairing.
    world.network.faults.clear();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    expect(connection.of("session.qr")).toHaveLength(1);
  });
});

it("a banned number is tried only once", async () => {
  const { connection, phone } = await world.link();
  const { sockets } = world.network.stats;
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 406, times: 20 });
  await connection.saw("session.closed", ({ code, reason }) => code === 406 && reason === "banned");
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  expect(world.network.stats.sockets).toBe(sockets - 1);
  expect(world.network.faults.list()).toMatchObject([{ kind: "close", times: 19 }]);
  world.network.faults.clear();
});

it("a ban that follows an unlinking is reported as a ban", async () => {
  const { connection, phone } = await world.link();
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 401 });
  await connection.saw("session.closed", ({ code }) => code === 401);
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  world.gateway.place(connection);
  await eventually("a new QR", TIMEOUT_MS, () => connection.of("session.qr").length === 2);
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 402, reason: 104, expire: 7_200 });
  await phone.scan(connection.of("session.qr")[1]?.raw ?? "");
  const { reason, ban, timestamp } = await connection.saw("session.closed", ({ code }) => code === 402);
  expect({ reason, ban }).toEqual({ reason: "temporarily_banned", ban: { code: 104, ends_at: timestamp + 7_200 } });
  expect(connection.of("session.closed").map(({ code }) => code)).toEqual([515, 401, 515, 402]);
});

it("a session reconnects later when the network asks for fewer connections", async () => {
  const { connection, phone } = await world.link();
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 429 });
  const { timestamp } = await connection.saw("session.closed", ({ code, reason }) => code === 429 && reason === "lost");
  const { next_at } = await connection.saw("session.reconnecting");
  expect(next_at - timestamp).toBeGreaterThanOrEqual(60);
});

it("a session deletes the device's state when the phone unlinks it", async () => {
  const { connection, phone } = await world.link();
  phone.unlink();
  await connection.saw("session.closed", ({ code, reason }) => code === 401 && reason === "logged_out");
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  expect([...connection.rows.keys()].filter((key) => !/^(sent|plain|poll)\|/.test(key))).toEqual([]);
  world.gateway.place(connection);
  await eventually("a new QR", TIMEOUT_MS, () => connection.of("session.qr").length === 2);
});

it("a session gives up after two bad sessions within an hour", async () => {
  const { connection, phone } = await world.link();
  world.network.faults.add({ phone: phone.pn, kind: "close", code: 500, times: 2 });
  const { reason } = await connection.saw("session.gave_up");
  expect(reason).toBe("bad_session");
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
});

it("a session unlinks its device when it is stopped for good", async () => {
  const { connection, phone } = await world.link();
  connection.stop(true);
  await eventually("the device to be gone", TIMEOUT_MS, () => world.network.directory.account(phone.pn)?.devices.size === 1);
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  expect(connection.rowsOf("creds")).toEqual([]);
});

it("a session leaves its device linked when it is stopped", async () => {
  const { connection, phone } = await world.link();
  connection.stop(false);
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  expect(world.network.directory.account(phone.pn)?.devices.size).toBe(2);
  world.gateway.place(connection);
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
  const friend = await world.newPhone();
  await sendText(connection, friend, "back");
  await eventually("the message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("back"));
});

describe("the reading of a close", () => {
  it("tells expired QR codes from a lost connection", () => {
    expect(disconnectOf({ statusCode: 408, message: "QR refs attempts ended" }, DIRECT, 0)).toEqual({
      code: 408,
      reason: "qr_timeout",
      next: "stop",
    });
    expect(disconnectOf({ statusCode: 408, message: "Connection was lost" }, DIRECT, 0)).toMatchObject({ reason: "lost", next: "backoff" });
  });

  it("takes a ban that lasts no time for one without a known end", () => {
    const banned = (expire: string) => disconnectOf({ statusCode: 402, message: "ban", data: { code: "104", expire } }, DIRECT, 1_000);
    expect(banned("7200").ban).toEqual({ code: 104, ends_at: 8_200 });
    expect(banned("0").ban).toEqual({ code: 104, ends_at: null });
  });

  it("never takes an HTTP status of the transport for the network's verdict on the device", () => {
    expect(disconnectOf({ statusCode: 401, message: "WebSocket Error (Unexpected server response: 401)" }, DIRECT, 0)).toMatchObject({
      reason: "lost",
      next: "backoff",
    });
  });

  it("blames the proxy only for a connection that never opened", () => {
    const error = { statusCode: 408, message: "WebSocket Error (connect ECONNREFUSED)" };
    expect(disconnectOf(error, { throughProxy: true, wasOpen: false }, 0)).toMatchObject({ code: 0, reason: "proxy_error" });
    expect(disconnectOf(error, { throughProxy: true, wasOpen: true }, 0)).toMatchObject({ reason: "lost" });
  });
});

describe("the reconnect budget", () => {
  const lost = disconnectOf(undefined, DIRECT, 0);

  it("has no limit for lost connections, and is reset after a stable time", () => {
    const budget = new ReconnectBudget();
    for (let attempt = 1; attempt <= 1_000; attempt += 1) expect(budget.next(lost, 0)).toEqual({ attempt });
    budget.reset();
    expect(budget.next(lost, 0)).toEqual({ attempt: 1 });
  });

  it("is not used up by ten closes without a code in two hours", () => {
    const budget = new ReconnectBudget();
    for (let ended = 1; ended <= 10; ended += 1) {
      const codeless = disconnectOf({ statusCode: 500, message: `Stream Errored (${ended % 2 === 0 ? "ack" : "unknown"})` }, DIRECT, 0);
      expect(codeless).toEqual({ code: 0, reason: "lost", next: "backoff" });
      expect(budget.next(codeless, ended * 12 * 60_000)).toEqual({ attempt: ended });
    }
  });

  it("forgives a bad session after an hour", () => {
    const bad = disconnectOf({ statusCode: 500, message: "Connection Failure" }, DIRECT, 0);
    const budget = new ReconnectBudget();
    expect(budget.next(bad, 0)).toEqual({ attempt: 1 });
    expect(budget.next(bad, 3_600_000)).toEqual({ attempt: 2 });
    expect(budget.next(bad, 3_600_001)).toEqual({ gaveUp: "bad_session" });
  });

  it("ends after three proxy errors in a row", () => {
    const refused = disconnectOf(
      { statusCode: 408, message: "WebSocket Error (connect ECONNREFUSED)" },
      { throughProxy: true, wasOpen: false },
      0,
    );
    const budget = new ReconnectBudget();
    expect(budget.next(refused, 0)).toEqual({ attempt: 1 });
    expect(budget.next(refused, 0)).toEqual({ attempt: 2 });
    expect(budget.next(refused, 0)).toEqual({ gaveUp: "proxy_error" });
  });
});
