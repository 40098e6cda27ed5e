// A session's lifecycle in isolation, with fake sockets and the test's clock.
import { EventEmitter } from "node:events";
import type { BinaryNode, ConnectionState, WAVersion } from "baileys";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ClientVersion, NOTHING_SET } from "#root/session-bridge/networks/baileys/socket/client-version.ts";
import { Lifecycle, type LifecycleDependencies } from "#root/session-bridge/networks/baileys/socket/lifecycle.ts";
import type { LiveSocket } from "#root/session-bridge/networks/baileys/socket/live-socket.ts";
import { OpenSockets } from "#root/session-bridge/open-sockets.ts";
import { BridgeMetrics } from "#root/session-bridge/metrics/bridge-metrics.ts";
import type { PasskeyAssertion } from "@gateway/protocol/passkey.ts";
import type { SessionEvent } from "@gateway/protocol/events.ts";

const HOUR_MS = 3_600_000;
const LOST = Object.assign(new Error("Connection Terminated"), { output: { statusCode: 428 } });

class FakeSocket {
  readonly ev = new EventEmitter();
  readonly ws = new EventEmitter();
  terminated = false;

  generateMessageTag(): string {
    return "1";
  }

  /** The network accepts every query and returns a reference. */
  async query(): Promise<BinaryNode> {
    return { tag: "iq", attrs: {}, content: [{ tag: "ref", attrs: {}, content: Buffer.from("3@ref") }] };
  }

  askForPasskey(): void {
    const options = Buffer.from(JSON.stringify({ challenge: "AAAA", rpId: "whatsapp.com" }));
    const content = [{ tag: "passkey_request_options", attrs: {}, content: options }];
    const notice: BinaryNode = { tag: "notification", attrs: { type: "passkey_prologue_request" }, content };
    this.ws.emit("CB:notification,type:passkey_prologue_request", notice);
  }

  update(update: Partial<ConnectionState>): void {
    this.ev.emit("connection.update", update);
  }

  close(error: Error = LOST): void {
    this.update({ connection: "close", lastDisconnect: { error, date: new Date() } });
  }

  logIn(): void {
    this.ws.emit("CB:success", { tag: "success", attrs: {} });
    this.update({ connection: "open" });
  }
}

/** `fails`: each socket is lost as soon as it opens. */
function startLifecycle(fails: () => boolean = () => false) {
  let shown = 0;
  /** The network's reaction to a retired pairing code. */
  const code: { answer: "none" | "refused" } = { answer: "none" };
  const sockets: FakeSocket[] = [];
  const events: SessionEvent[] = [];
  const nothing = (): void => undefined;
  const served: { version: WAVersion | null } = { version: null };
  const clientVersion = new ClientVersion(NOTHING_SET, pino({ level: "silent" }), [2, 3000, 100]);
  const creds = { me: { id: "5511900000001:1@s.whatsapp.net", name: "A" }, advSecretKey: "AAAA" };
  const auth = { creds, paired: true, saveCreds: nothing, dropHeld: nothing, resetUnpaired: nothing, forgetSenderKeyMemory: nothing };
  const deps = {
    logger: pino({ level: "silent" }),
    metrics: new BridgeMetrics(),
    closedWith: () => undefined,
    auth: auth as unknown as LifecycleDependencies["auth"],
    pairing: {
      reset: nothing,
      renewCode: async () => code.answer,
      currentQr: { raw: "with a refused code", attempt: 1, lifeSeconds: 60 },
      rotateSecret: () => ({ raw: "rotated", attempt: shown, lifeSeconds: 60 }),
      nextQr: (raw: string) => ({ raw, attempt: (shown += 1), lifeSeconds: 60 }),
    } as unknown as LifecycleDependencies["pairing"],
    connectSlots: { acquire: async () => [1, nothing] } as unknown as LifecycleDependencies["connectSlots"],
    openSockets: new OpenSockets(),
    clientVersion,
    lookUpVersion: () => clientVersion.lookUp(async () => served.version, Date.now()),
    throughProxy: () => false,
    mayUsePasskey: () => true,
    alwaysOnline: () => true,
    openSocket: () => {
      const sock = new FakeSocket();
      sockets.push(sock);
      const live: LiveSocket = {
        sock: sock as unknown as LiveSocket["sock"],
        ctx: {} as LiveSocket["ctx"],
        connected: () => true,
        detach: () => 0,
        terminate: () => {
          sock.terminated = true;
          sock.close();
        },
      };
      if (fails()) queueMicrotask(() => sock.close());
      return live;
    },
    emit: (event: SessionEvent) => void events.push(event),
    flushed: () => Promise.resolve(),
    opened: nothing,
    closed: nothing,
    finished: nothing,
    now: () => Date.now(),
  } satisfies LifecycleDependencies;
  const lifecycle = new Lifecycle(deps);
  lifecycle.start();
  const eventsOf = <T extends SessionEvent["type"]>(type: T) =>
    events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
  return { lifecycle, code, sockets, eventsOf, served, auth, clientVersion, last: () => sockets.at(-1)! };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a session reconnects when there is no login within 45 seconds", async () => {
  const { sockets, eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(44_999);
  expect(last().terminated).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(last().terminated).toBe(true);
  expect(eventsOf("session.closed")).toMatchObject([{ reason: "lost" }]);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(sockets).toHaveLength(2);
  last().logIn();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(eventsOf("session.open")).toHaveLength(1);
  expect(last().terminated).toBe(false);
});

it("a session lets the library finish what follows a login", async () => {
  const { last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(40_000);
  last().ws.emit("CB:success", { tag: "success", attrs: {} });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(last().terminated).toBe(false);
});

it("after six hours without a network, a session reopens within six minutes of the network's return", async () => {
  let away = true;
  const opened: number[] = [];
  const { sockets, eventsOf, last } = startLifecycle(() => {
    opened.push(Date.now());
    return away;
  });
  await vi.advanceTimersByTimeAsync(6 * HOUR_MS);
  away = false;
  const pauses = opened.slice(1).map((at, index) => at - (opened[index] ?? 0));
  expect(pauses.length).toBeGreaterThan(60);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(360_000);
  // Delays differ: sessions lost together do not reconnect together.
  expect(new Set(pauses.slice(-20)).size).toBeGreaterThan(10);
  expect(eventsOf("session.gave_up")).toEqual([]);
  const tried = sockets.length;
  // Stops at the first socket: one that nobody logs in would be replaced within the six minutes.
  for (let ms = 0; sockets.length === tried && ms < 360_000; ms += 1_000) await vi.advanceTimersByTimeAsync(1_000);
  expect(sockets.length).toBe(tried + 1);
  last().logIn();
  expect(eventsOf("session.open")).toHaveLength(1);
});

it("a session keeps reconnecting when the network closes its socket every fifty minutes for 48 hours", async () => {
  const codeless = Object.assign(new Error("Stream Errored (ack)"), { output: { statusCode: 500 } });
  const { sockets, eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  for (let recycled = 0; recycled < 58; recycled += 1) {
    last().logIn();
    await vi.advanceTimersByTimeAsync(50 * 60_000);
    last().close(codeless);
    // The first attempt follows after a second, as after any stable connection.
    await vi.advanceTimersByTimeAsync(1_200);
  }
  expect(sockets).toHaveLength(59);
  expect(eventsOf("session.open")).toHaveLength(58);
  expect(eventsOf("session.reconnecting").every(({ attempt }) => attempt === 1)).toBe(true);
  expect(eventsOf("session.gave_up")).toEqual([]);
});

it("a session reopens within 18 seconds however often the bridge closes it, without counting that as an attempt", async () => {
  const { lifecycle, eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  const pauses: number[] = [];
  for (let times = 0; times < 20; times += 1) {
    last().logIn();
    const [given, at] = [last(), Date.now()];
    lifecycle.disconnect();
    while (last() === given) await vi.advanceTimersByTimeAsync(100);
    pauses.push(Date.now() - at);
  }
  expect(pauses[0]).toBeLessThanOrEqual(1_300);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(18_100);
  // A store that connects only briefly must not cause constant dials to the network.
  expect(Math.min(...pauses.slice(-10))).toBeGreaterThanOrEqual(15_000);
  last().logIn();
  last().close();
  expect(eventsOf("session.reconnecting").at(-1)).toMatchObject({ attempt: 1 });
});

const failure = (code: number, data: Record<string, string> = {}) =>
  Object.assign(new Error("Connection Failure"), { output: { statusCode: code }, data: { reason: String(code), ...data } });

it("a session looks its refused version up, and opens with the new one by itself", async () => {
  const { sockets, eventsOf, served, last, clientVersion } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  served.version = [2, 3000, 200];
  last().close(failure(405));
  await vi.advanceTimersByTimeAsync(1);
  expect(eventsOf("session.closed")).toMatchObject([{ code: 405, reason: "client_outdated", waits: true }]);
  expect(sockets).toHaveLength(2);
  expect(clientVersion.announced()).toEqual({ version: "2.3000.200", source: "served" });
});

it.each([405, 409])(
  "a session waits when the version is refused (%i) and no newer one is served, and opens when one is set",
  async (code) => {
    const { sockets, eventsOf, last, clientVersion } = startLifecycle();
    await vi.advanceTimersByTimeAsync(1);
    last().close(failure(code));
    await vi.advanceTimersByTimeAsync(299_999);
    expect(sockets).toHaveLength(1);
    clientVersion.set({ version: "2.3000.300", max: null });
    await vi.advanceTimersByTimeAsync(1);
    expect(sockets).toHaveLength(2);
    last().logIn();
    expect(eventsOf("session.reconnecting")).toEqual([]);
    expect(eventsOf("session.gave_up")).toEqual([]);
  },
);

it("a session tries a refused version ever more seldom, and looks the served one up hourly", async () => {
  const { sockets, served, last, clientVersion } = startLifecycle();
  const tried: number[] = [];
  const lookUp = vi.spyOn(clientVersion, "lookUp");
  await vi.advanceTimersByTimeAsync(1);
  for (const until = Date.now() + 12 * HOUR_MS; Date.now() < until;) {
    if (sockets.length > tried.length) {
      tried.push(Date.now());
      last().close(failure(405));
    }
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(tried.length).toBeGreaterThan(10);
  expect(tried.length).toBeLessThan(20);
  expect(lookUp.mock.calls.length).toBeGreaterThan(10);
  served.version = [2, 3000, 200];
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  last().logIn();
  expect(clientVersion.announced().version).toBe("2.3000.200");
});

it("a pairing shows new QR codes when nobody linked with the first one and a newer version is served", async () => {
  const { sockets, eventsOf, served, auth, last } = startLifecycle();
  auth.paired = false;
  await vi.advanceTimersByTimeAsync(1);
  last().update({ qr: "first" });
  served.version = [2, 3000, 200];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(1);
  last().update({ qr: "second" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sockets[0]?.terminated).toBe(true);
  expect(sockets).toHaveLength(2);
  expect(eventsOf("session.gave_up")).toEqual([]);
});

it("an open session is left alone when the version changes", async () => {
  const { sockets, last, clientVersion } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  last().logIn();
  clientVersion.set({ version: "2.3000.300", max: null });
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(sockets).toHaveLength(1);
});

it.each([
  [403, "banned"],
  [406, "banned"],
  [415, "bad_session"],
  [418, "bad_session"],
] as const)("a session tries %i once, and reports %s", async (code, reason) => {
  const { sockets, eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  last().close(failure(code));
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
  expect(sockets).toHaveLength(1);
  expect(eventsOf("session.closed")).toMatchObject([{ code, reason }]);
});

it.each([
  [
    { code: "104", expire: "3600" },
    { code: 104, seconds: 3_600 },
  ],
  [{ expire: "never" }, { code: null, seconds: null }],
] as const)("a temporary ban is reported with its reason and its end (%o)", async (said, { code, seconds }) => {
  const { eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  last().close(failure(402, said));
  const ends_at = seconds === null ? null : Math.floor(Date.now() / 1000) + seconds;
  expect(eventsOf("session.closed")).toMatchObject([{ code: 402, reason: "temporarily_banned", ban: { code, ends_at } }]);
});

it("a session waits at least a minute, and longer each time, when the network asks for fewer connections", async () => {
  const { sockets, eventsOf, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  const tooMany = Object.assign(new Error("Stream Errored (unknown)"), { output: { statusCode: 429 } });
  last().close(tooMany);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(sockets).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(13_000);
  expect(sockets).toHaveLength(2);
  last().close(tooMany);
  await vi.advanceTimersByTimeAsync(119_000);
  expect(sockets).toHaveLength(2);
  expect(eventsOf("session.closed")).toMatchObject([{ code: 429, reason: "lost" }, { code: 429 }]);
});

const ASSERTION: PasskeyAssertion = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
};
const PASSKEY_MS = 300_000;

/** A phone has scanned the QR code, and its account requires a passkey. */
async function askedForPasskey() {
  const started = startLifecycle();
  started.auth.paired = false;
  await vi.advanceTimersByTimeAsync(1);
  started.last().update({ qr: "first" });
  started.last().askForPasskey();
  await vi.advanceTimersByTimeAsync(0);
  expect(started.eventsOf("session.passkey")).toHaveLength(1);
  return started;
}

it("a pairing ends after five minutes without its passkey, says so, and takes no answer after that", async () => {
  const { lifecycle, sockets, eventsOf, last } = await askedForPasskey();
  await vi.advanceTimersByTimeAsync(PASSKEY_MS - 1);
  expect(eventsOf("session.closed")).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(eventsOf("session.closed")).toMatchObject([{ code: 408, reason: "passkey_timeout" }]);
  expect(last().terminated).toBe(true);
  expect(await lifecycle.linking.answerPasskey(ASSERTION)).toMatchObject({ ok: false, failure: { code: "passkey_not_wanted" } });
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(sockets).toHaveLength(1);
});

it("a pairing restarts the phone's timeout once the passkey has been used", async () => {
  const { lifecycle, eventsOf } = await askedForPasskey();
  await vi.advanceTimersByTimeAsync(PASSKEY_MS - 1);
  expect(await lifecycle.linking.answerPasskey(ASSERTION)).toMatchObject({ ok: true });
  await vi.advanceTimersByTimeAsync(PASSKEY_MS - 1);
  expect(eventsOf("session.closed")).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(eventsOf("session.closed")).toMatchObject([{ reason: "passkey_timeout" }]);
});

it("a pairing shows no other QR, and keeps its socket, while it waits for a passkey", async () => {
  const { code, sockets, eventsOf, last, clientVersion } = await askedForPasskey();
  last().update({ qr: "second" });
  code.answer = "refused";
  last().ws.emit("CB:notification,type:link_code_companion_reg", { tag: "notification", attrs: {} });
  last().ws.emit("CB:notification,type:companion_reg_refresh", { tag: "notification", attrs: {} });
  clientVersion.set({ version: "2.3000.300", max: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(eventsOf("session.qr").map(({ raw }) => raw)).toEqual(["first"]);
  expect(sockets).toHaveLength(1);
  expect(eventsOf("session.closed")).toEqual([]);
});
