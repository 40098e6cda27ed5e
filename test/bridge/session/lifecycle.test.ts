// The lifecycle of a session alone: its sockets are made up, and its clock is the test's.
import { EventEmitter } from "node:events";
import type { ConnectionState } from "baileys";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Lifecycle, type LifecycleDependencies } from "../../../session-bridge/networks/baileys/socket/lifecycle.ts";
import type { LiveSocket } from "../../../session-bridge/networks/baileys/socket/live-socket.ts";
import { BridgeMetrics } from "../../../session-bridge/metrics/bridge-metrics.ts";
import type { SessionEvent } from "../../../src/protocol/events.ts";

const HOUR_MS = 3_600_000;
const LOST = Object.assign(new Error("Connection Terminated"), { output: { statusCode: 428 } });

class FakeSocket {
  readonly ev = new EventEmitter();
  readonly ws = new EventEmitter();
  terminated = false;

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

/** `fails`: whether a socket is lost as soon as it is opened. */
function startLifecycle(fails: () => boolean = () => false) {
  const sockets: FakeSocket[] = [];
  const events: SessionEvent[] = [];
  const nothing = (): void => undefined;
  const creds = { me: { id: "5511900000001:1@s.whatsapp.net", name: "A" } };
  const auth = { creds, paired: true, saveCreds: nothing, dropHeld: nothing, resetUnpaired: nothing, forgetSenderKeyMemory: nothing };
  const deps = {
    logger: pino({ level: "silent" }),
    metrics: new BridgeMetrics(),
    closedWith: () => undefined,
    auth: auth as unknown as LifecycleDependencies["auth"],
    pairing: { reset: nothing } as unknown as LifecycleDependencies["pairing"],
    connectSlots: { acquire: async () => [1, nothing] } as unknown as LifecycleDependencies["connectSlots"],
    throughProxy: () => false,
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
  new Lifecycle(deps).start();
  const of = <T extends SessionEvent["type"]>(type: T) =>
    events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
  return { sockets, of, last: () => sockets.at(-1)! };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("ends an opening that does not come to a login within 45 seconds, and opens again", async () => {
  const { sockets, of, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(44_999);
  expect(last().terminated).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(last().terminated).toBe(true);
  expect(of("session.closed")).toMatchObject([{ reason: "lost" }]);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(sockets).toHaveLength(2);
  last().logIn();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(of("session.open")).toHaveLength(1);
  expect(last().terminated).toBe(false);
});

it("lets the library finish what follows a login", async () => {
  const { last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(40_000);
  last().ws.emit("CB:success", { tag: "success", attrs: {} });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(last().terminated).toBe(false);
});

it("opens again after six hours without a network, at most five minutes and a fifth after its return", async () => {
  let away = true;
  const opened: number[] = [];
  const { sockets, of, last } = startLifecycle(() => {
    opened.push(Date.now());
    return away;
  });
  await vi.advanceTimersByTimeAsync(6 * HOUR_MS);
  away = false;
  const pauses = opened.slice(1).map((at, index) => at - (opened[index] ?? 0));
  expect(pauses.length).toBeGreaterThan(60);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(360_000);
  // Not all after the same time: sessions that were lost together do not come back together.
  expect(new Set(pauses.slice(-20)).size).toBeGreaterThan(10);
  expect(of("session.gave_up")).toEqual([]);
  const tried = sockets.length;
  await vi.advanceTimersByTimeAsync(360_000);
  expect(sockets.length).toBe(tried + 1);
  last().logIn();
  expect(of("session.open")).toHaveLength(1);
});

it("is never stopped by lines that are recycled every fifty minutes, for 48 hours", async () => {
  const codeless = Object.assign(new Error("Stream Errored (ack)"), { output: { statusCode: 500 } });
  const { sockets, of, last } = startLifecycle();
  await vi.advanceTimersByTimeAsync(1);
  for (let recycled = 0; recycled < 58; recycled += 1) {
    last().logIn();
    await vi.advanceTimersByTimeAsync(50 * 60_000);
    last().close(codeless);
    // The first try is a second later, as after any stable time.
    await vi.advanceTimersByTimeAsync(1_200);
  }
  expect(sockets).toHaveLength(59);
  expect(of("session.open")).toHaveLength(58);
  expect(of("session.reconnecting").every(({ attempt }) => attempt === 1)).toBe(true);
  expect(of("session.gave_up")).toEqual([]);
});
