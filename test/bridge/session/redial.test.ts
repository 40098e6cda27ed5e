// Lost session sockets: one by one, or all at once after a deploy.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { DialQueue } from "#root/session-bridge/gateway/dial-queue.ts";
import { SessionSocket, sessionSocketLosses } from "#root/session-bridge/gateway/session-socket.ts";
import { SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { WELCOME } from "../../support/bridge/welcome.ts";

/** A gateway that welcomes every session and records its dials. */
class Gateway {
  readonly dials: { name: string; at: number }[] = [];
  readonly #open = new Map<string, WebSocket>();
  readonly #http: Server = createServer();
  readonly #sockets = new WebSocketServer({ server: this.#http });

  async start(): Promise<URL> {
    this.#sockets.on("connection", (socket, request) => {
      const name = (request.url ?? "").split("/").at(-1) ?? "";
      this.dials.push({ name, at: performance.now() });
      this.#open.set(name, socket);
      socket.once("message", () => socket.send(JSON.stringify(WELCOME)));
    });
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`);
  }

  /** Cuts these sockets, or closes them with a code. Returns the time. */
  drop(names: readonly string[], code?: number): number {
    const at = performance.now();
    for (const name of names) {
      if (code === undefined) this.#open.get(name)?.terminate();
      else this.#open.get(name)?.close(code);
    }
    return at;
  }

  confirm(name: string): void {
    this.#open.get(name)?.send(JSON.stringify({ type: "stored", seq: 1 }));
  }

  /** Each session's first dial after `at`, as ms since then. */
  after(at: number): Map<string, number> {
    const first = new Map<string, number>();
    for (const dial of this.dials) if (dial.at > at && !first.has(dial.name)) first.set(dial.name, dial.at - at);
    return first;
  }

  async stop(): Promise<void> {
    for (const socket of this.#open.values()) socket.terminate();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

let gateway: Gateway;
let sockets: Map<string, SessionSocket>;
/** Names of sessions that have something to send. */
let waiting: Set<string>;
/** Number of commits that were confirmed. */
let confirmed: number;
/** Number of dials so far. */
let dialled: () => number;

/** A session that waited for its slot would not dial before the test ends. */
const SLOT_BEYOND_THE_TEST = () => 1_000;

/** `turns`: each session's dial time as a fraction of the period, in order of loss. */
async function open(count: number, turns: () => number = Math.random): Promise<string[]> {
  const losses = sessionSocketLosses(turns);
  const dials = new DialQueue();
  const added = vi.spyOn(dials, "add");
  dialled = () => added.mock.calls.length;
  const gatewayUrl = await gateway.start();
  const nothing = (): void => undefined;
  for (let n = 0; n < count; n += 1) {
    const name = `session-${n}`;
    const socket = new SessionSocket(
      {
        gatewayUrl,
        connection: name,
        generation: 1,
        bridgeId: "bridge",
        credential: "credential",
        ticket: "ticket",
        hasState: () => true,
        isWaiting: () => waiting.has(name),
        losses,
        dials,
      },
      { welcomed: nothing, received: ({ type }) => void (confirmed += Number(type === "stored")), ended: nothing, redialling: nothing },
    );
    sockets.set(name, socket);
    socket.dial();
  }
  await vi.waitFor(() => expect([...sockets.values()].every(({ connected }) => connected)).toBe(true));
  return [...sockets.keys()];
}

/** How long each session took to redial. */
async function redials(at: number, names: readonly string[]): Promise<number[]> {
  await vi.waitFor(() => expect(names.filter((name) => !gateway.after(at).has(name))).toEqual([]));
  const dials = gateway.after(at);
  return names.map((name) => dials.get(name) ?? Number.NaN);
}

/** The sessions' clock, which only the test advances, because a busy machine notices the losses too late to count them together. */
const stopClock = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

const allNoticed = () => vi.waitFor(() => expect([...sockets.values()].some(({ connected }) => connected)).toBe(false));

beforeEach(() => {
  gateway = new Gateway();
  sockets = new Map();
  waiting = new Set();
  confirmed = 0;
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.values()) socket.close();
  await gateway.stop();
});

describe("a bridge's session sockets", () => {
  it("are dialled again one after the other, a tenth of a second each, after a deploy drops them", async () => {
    stopClock();
    let turn = 0;
    const names = await open(40, () => (turn++ % 40) / 40);
    const at = gateway.drop(names);
    await allNoticed();
    const opened = dialled();
    // A session waits 200 to 240 ms, and then for its slot.
    vi.advanceTimersByTime(150);
    for (let slot = 1; slot <= 40; slot += 1) {
      vi.advanceTimersByTime(100);
      expect(dialled() - opened).toBe(slot);
    }
    await redials(at, names);
  });

  it.each([undefined, 1012])("are dialled again at once if they are few (close %s)", async (code) => {
    const names = await open(20, SLOT_BEYOND_THE_TEST);
    const few = names.slice(0, 9);
    expect(await redials(gateway.drop(few, code), few)).toHaveLength(9);
  });

  it("are dialled at once where something waits to be sent or somebody begins to wait", async () => {
    stopClock();
    const names = await open(60, () => 0.999);
    waiting = new Set(names.slice(0, 5));
    const at = gateway.drop(names);
    await allNoticed();
    const opened = dialled();
    // Callers begin to wait before (`early`) or after (`late`) the session knows that it must wait for a slot.
    const early = names.slice(5, 10);
    const late = names.slice(10, 15);
    for (const name of early) sockets.get(name)?.dialNow();
    vi.advanceTimersByTime(250);
    expect(dialled() - opened).toBe(10);
    for (const name of late) sockets.get(name)?.redial(0);
    expect(dialled() - opened).toBe(15);
    await redials(at, [...waiting, ...early, ...late]);
    vi.advanceTimersByTime(5_900);
    expect(dialled() - opened).toBe(15);
    vi.advanceTimersByTime(100);
    await redials(at, names);
    // No session dialled twice.
    expect(gateway.dials.filter((dial) => dial.at > at)).toHaveLength(60);
  });

  it("wait longer each time if the gateway closes them before it has stored anything", async () => {
    stopClock();
    const [name = ""] = await open(1);
    for (const waitMs of [200, 400, 800]) {
      const before = dialled();
      gateway.drop([name], SESSION_CLOSE.badFrame);
      await allNoticed();
      vi.advanceTimersByTime(waitMs - 1);
      expect(dialled()).toBe(before);
      vi.advanceTimersByTime(waitMs * 0.2 + 1);
      expect(dialled()).toBe(before + 1);
      await vi.waitFor(() => expect(sockets.get(name)?.connected).toBe(true));
    }
    gateway.confirm(name);
    await vi.waitFor(() => expect(confirmed).toBe(1));
    const before = dialled();
    gateway.drop([name], SESSION_CLOSE.badFrame);
    await allNoticed();
    vi.advanceTimersByTime(240);
    expect(dialled()).toBe(before + 1);
  });

  it("do not wait for each other if each closed for its own reason", async () => {
    const names = await open(20, SLOT_BEYOND_THE_TEST);
    expect(await redials(gateway.drop(names, 1011), names)).toHaveLength(20);
  });
});
