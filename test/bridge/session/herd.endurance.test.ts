// The network returns after an outage: all of a bridge's sessions reconnect soon, but only a few at a time.
import { EventEmitter } from "node:events";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONNECT_CONCURRENCY, createConnectSlots } from "#root/session-bridge/bridge.ts";
import { OpenSockets } from "#root/session-bridge/open-sockets.ts";
import { BridgeMetrics } from "#root/session-bridge/metrics/bridge-metrics.ts";
import { ClientVersion, NOTHING_SET } from "#root/session-bridge/networks/baileys/socket/client-version.ts";
import { Lifecycle, type LifecycleDependencies } from "#root/session-bridge/networks/baileys/socket/lifecycle.ts";
import type { LiveSocket } from "#root/session-bridge/networks/baileys/socket/live-socket.ts";

const SESSIONS = 200;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Duration of a handshake while the network responds. */
const HANDSHAKE_MS = 1_500;
const LOST = Object.assign(new Error("Connection Terminated"), { output: { statusCode: 428 } });

type Network = "answers" | "refuses" | "is silent";

/** One bridge's sessions on a network controlled by the test. */
function openFleet() {
  let network: Network = "answers";
  let handshakes = 0;
  let peak = 0;
  const open = new Set<() => void>();
  const slots = createConnectSlots();
  const openSockets = new OpenSockets();
  const openings: number[] = [];
  const nothing = (): void => undefined;
  const clientVersion = new ClientVersion(NOTHING_SET, pino({ level: "silent" }), [2, 3000, 100]);
  const auth = {
    creds: { me: { id: "5511900000001:1@s.whatsapp.net", name: "A" } },
    paired: true,
    saveCreds: nothing,
    dropHeld: nothing,
    resetUnpaired: nothing,
    forgetSenderKeyMemory: nothing,
  };

  const openSocket = (): LiveSocket => {
    const ev = new EventEmitter();
    const ws = new EventEmitter();
    let shaking = true;
    handshakes += 1;
    openings.push(Date.now());
    peak = Math.max(peak, handshakes);
    const ended = (): void => {
      if (shaking) handshakes -= 1;
      shaking = false;
    };
    const close = (): void => {
      ended();
      open.delete(close);
      ev.emit("connection.update", { connection: "close", lastDisconnect: { error: LOST, date: new Date() } });
    };
    const logIn = (): void => {
      if (!shaking) return;
      ended();
      open.add(close);
      ws.emit("CB:success", { tag: "success", attrs: {} });
      ev.emit("connection.update", { connection: "open" });
    };
    if (network === "answers") setTimeout(logIn, HANDSHAKE_MS);
    if (network === "refuses") setTimeout(close, 20);
    const sock = { ev, ws } as unknown as LiveSocket["sock"];
    return { sock, ctx: {} as LiveSocket["ctx"], connected: () => true, detach: () => 0, terminate: close };
  };

  for (let n = 0; n < SESSIONS; n += 1) {
    new Lifecycle({
      logger: pino({ level: "silent" }),
      metrics: new BridgeMetrics(),
      closedWith: nothing,
      auth: auth as unknown as LifecycleDependencies["auth"],
      pairing: { reset: nothing } as unknown as LifecycleDependencies["pairing"],
      connectSlots: slots,
      openSockets,
      clientVersion,
      lookUpVersion: () => Promise.resolve(),
      throughProxy: () => false,
      mayUsePasskey: () => false,
      alwaysOnline: () => true,
      openSocket,
      emit: nothing,
      flushed: () => Promise.resolve(),
      opened: nothing,
      closed: nothing,
      finished: nothing,
      now: () => Date.now(),
    }).start();
  }
  return {
    open: () => open.size,
    /** When sockets opened after `at`, in ms since then. */
    openedAfter: (at: number) => openings.filter((opened) => opened > at).map((opened) => opened - at),
    /** Closes this many connections while the network is up. */
    lose(count: number) {
      for (const close of [...open].slice(0, count)) close();
    },
    /** Maximum number of simultaneous handshakes since the last call. */
    peak: () => {
      const was = peak;
      peak = handshakes;
      return was;
    },
    become(next: Network) {
      network = next;
      if (next !== "answers") for (const close of open) close();
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each(["refuses", "is silent"] as const)("a network that %s for six hours, and returns", (away) => {
  it("has every session back within ten minutes, without a thundering herd", async () => {
    const fleet = openFleet();
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(fleet.open()).toBe(SESSIONS);
    expect(fleet.peak()).toBeLessThanOrEqual(CONNECT_CONCURRENCY);
    fleet.become(away);
    await vi.advanceTimersByTimeAsync(6 * HOUR_MS);
    expect(fleet.open()).toBe(0);
    fleet.peak();
    fleet.become("answers");
    const returned = Date.now();
    while (fleet.open() < SESSIONS && Date.now() < returned + HOUR_MS) await vi.advanceTimersByTimeAsync(1_000);
    const seconds = (Date.now() - returned) / 1_000;
    const peak = fleet.peak();
    console.info(`network that ${away}: ${SESSIONS} sessions back after ${seconds} s, at most ${peak} handshakes at once`);
    expect(seconds).toBeLessThanOrEqual(600);
    expect(peak).toBeLessThanOrEqual(CONNECT_CONCURRENCY);
  });
});

describe("a network that drops connections and is back at once", () => {
  it("is dialled by all sessions, spread over half a minute", async () => {
    const fleet = openFleet();
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    const lostAt = Date.now();
    fleet.lose(SESSIONS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(fleet.open()).toBe(SESSIONS);
    const times = fleet.openedAfter(lostAt);
    expect(times).toHaveLength(SESSIONS);
    const seconds = Array.from({ length: 60 }, (_, n) => times.filter((ms) => Math.floor(ms / 1_000) === n).length);
    console.info(`${SESSIONS} lines lost together are opened again, by second: ${seconds.slice(0, 45).join(" ")}`);
    expect(Math.max(...seconds)).toBeLessThanOrEqual((3 * SESSIONS) / 30);
    // If only slots limited them, all would have started in the first few seconds.
    expect(times.filter((ms) => ms < 3_000).length).toBeLessThan(SESSIONS / 5);
  });

  it.each([1, 9])("is dialled by %i dropped sessions within three seconds", async (count) => {
    const fleet = openFleet();
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    const lostAt = Date.now();
    fleet.lose(count);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(fleet.openedAfter(lostAt)).toHaveLength(count);
    expect(Math.max(...fleet.openedAfter(lostAt))).toBeLessThanOrEqual(3_000);
  });
});
