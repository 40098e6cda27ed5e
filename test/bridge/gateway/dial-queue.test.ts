// Session sockets are dialled a few at a time: none waits for another forever, and sessions with waiting callers go first.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import { type Dial, DialQueue } from "#root/session-bridge/gateway/dial-queue.ts";
import { SessionSocket, sessionSocketLosses } from "#root/session-bridge/gateway/session-socket.ts";
import { DIALS } from "@gateway/protocol/session-socket.ts";
import { WELCOME } from "../../support/bridge/welcome.ts";
import { eventually } from "../../support/eventually.ts";

const WAIT_MS = 60_000;

describe("dials", () => {
  let queue: DialQueue;
  let begun: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    queue = new DialQueue();
    begun = [];
  });
  afterEach(() => void vi.useRealTimers());

  function add(name: string, isWanted = false, timeouts = 0): Dial {
    const dial = { timeouts, isWanted: () => isWanted, begin: () => void begun.push(name), timedOut: () => undefined };
    queue.add(dial);
    return dial;
  }
  const fill = (): Dial[] => Array.from({ length: DIALS.atOnce }, (_, n) => add(`first-${n}`));
  const since = (): string[] => begun.slice(DIALS.atOnce);

  it("start in order, a few at a time, and first those with waiting callers", () => {
    const running = fill();
    add("one");
    add("two", true);
    add("three");
    expect(since()).toEqual([]);
    for (const dial of running.slice(0, 3)) queue.done(dial);
    expect(since()).toEqual(["two", "one", "three"]);
  });

  it("free their slot, if they hang, after a timeout that doubles up to a minute", () => {
    const hanging = fill();
    for (const timeoutMs of [10_000, 20_000, 40_000, 60_000, 60_000]) {
      const other = add("other");
      vi.advanceTimersByTime(timeoutMs - 1);
      expect(since()).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(since()).toEqual(["other"]);
      queue.done(other);
      begun = [];
      for (const dial of hanging) queue.add(dial);
    }
    expect(hanging.map(({ timeouts }) => timeouts)).toEqual(hanging.map(() => 5));
  });

  it("lose their priority once they have timed out, even with waiting callers", () => {
    const running = fill();
    add("other");
    add("hangs", true, 1);
    add("wanted", true);
    for (const dial of running.slice(0, 3)) queue.done(dial);
    expect(since()).toEqual(["wanted", "other", "hangs"]);
  });

  it("free their slot when they are cancelled, started or not", () => {
    const running = fill();
    const waiting = add("given up");
    add("other");
    queue.done(waiting);
    queue.done(running[0]!);
    queue.done(running[0]!);
    expect(since()).toEqual(["other"]);
    // A cancelled dial leaves no timer that could time out another dial.
    vi.advanceTimersByTime(10_000);
    expect(running[0]!.timeouts).toBe(0);
    expect(running[1]!.timeouts).toBe(1);
  });
});

/** A gateway that accepts dials only on the test's command. */
class Gateway {
  /** Pending dials, in order. */
  readonly held = new Map<string, () => void>();
  readonly asked: string[] = [];
  /** Sessions whose hello has arrived. */
  readonly greeted: string[] = [];
  readonly closed: string[] = [];
  /** True for sessions to welcome; all others wait for their welcome forever. */
  welcomes = (_name: string): boolean => true;
  /** Maximum number of simultaneous pending dials. */
  most = 0;
  readonly #open = new Set<Duplex>();
  readonly #http: Server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });

  async start(): Promise<URL> {
    this.#http.on("upgrade", (request, socket: Duplex, head) => {
      const name = (request.url ?? "").split("/").at(-1) ?? "";
      this.asked.push(name);
      const answer = (): void => {
        this.held.delete(name);
        this.#sockets.handleUpgrade(request, socket, head, (open) =>
          open.once("message", () => {
            this.greeted.push(name);
            if (this.welcomes(name)) open.send(JSON.stringify(WELCOME));
          }),
        );
      };
      this.held.set(name, answer);
      this.most = Math.max(this.most, this.held.size);
      this.#open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.closed.push(name);
        if (this.held.get(name) === answer) this.held.delete(name);
      });
    });
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

describe("a bridge's session sockets", () => {
  let gateway: Gateway;
  let sockets: SessionSocket[];

  beforeEach(() => {
    gateway = new Gateway();
    sockets = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const socket of sockets) socket.close();
    await gateway.stop();
  });

  async function dial(count: number, dials: DialQueue): Promise<void> {
    const gatewayUrl = await gateway.start();
    const nothing = (): void => undefined;
    const losses = sessionSocketLosses();
    const shared = { gatewayUrl, generation: 1, bridgeId: "bridge", credential: "credential", ticket: "ticket", losses, dials };
    for (let n = 0; n < count; n += 1) {
      const socket = new SessionSocket(
        { ...shared, connection: `session-${n}`, hasState: () => false, isWaiting: () => false },
        { welcomed: nothing, received: nothing, ended: nothing, redialling: nothing },
      );
      sockets.push(socket);
      socket.dial();
    }
  }

  const connected = (): number => sockets.filter((socket) => socket.connected).length;

  it("stay below the limit of simultaneous dials until all are open", async () => {
    await dial(3 * DIALS.atOnce, new DialQueue());
    for (let open = 0; open < sockets.length; open += 1) {
      const expected = Math.min(DIALS.atOnce, sockets.length - open);
      await eventually(`${open} are open, and the next is dialled`, WAIT_MS, () => connected() === open && gateway.held.size === expected);
      [...gateway.held.values()][0]?.();
    }
    await eventually("all are open", WAIT_MS, () => connected() === sockets.length);
    expect(gateway.most).toBe(DIALS.atOnce);
    expect(gateway.asked).toHaveLength(sockets.length);
  });

  it("yield their slot to the others while they hang, and are dialled again", async () => {
    // These sessions are first in the queue.
    const hanging = new Set(["session-0", "session-1", "session-2", "session-3"]);
    await dial(6, new DialQueue({ atOnce: 4, timeoutMs: 300, maxTimeoutMs: 2_400 }));
    const answer = (): void => {
      for (const [name, open] of gateway.held) if (!hanging.has(name) || gateway.asked.filter((asked) => asked === name).length > 3) open();
    };
    await eventually("the others are open", WAIT_MS, () => {
      answer();
      return connected() >= 2;
    });
    await eventually("so are those that have timed out, once they are answered", WAIT_MS, () => {
      answer();
      return connected() === 6;
    });
  });

  it("yield their slot if their welcome takes long, but stay open, because their ticket is used up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    gateway.welcomes = (name) => name === "session-2";
    const timeoutMs = 10_000;
    await dial(3, new DialQueue({ atOnce: 1, timeoutMs, maxTimeoutMs: 600_000 }));
    for (let n = 0; n < 3; n += 1) {
      const name = `session-${n}`;
      (await eventually(`${name} is dialled`, WAIT_MS, () => gateway.held.get(name)))();
      await eventually(`${name} is let in`, WAIT_MS, () => gateway.greeted.includes(name));
      if (n < 2) vi.advanceTimersByTime(timeoutMs);
    }
    await eventually("the last has its welcome", WAIT_MS, () => connected() === 1);
    expect(gateway.asked).toEqual(["session-0", "session-1", "session-2"]);
    expect(gateway.closed).toEqual([]);
  });

  it("leave the queue when they are closed", async () => {
    await dial(4, new DialQueue({ atOnce: 1, timeoutMs: 600_000, maxTimeoutMs: 600_000 }));
    await eventually("one is dialled", WAIT_MS, () => gateway.held.size === 1);
    sockets[1]?.close();
    sockets[3]?.dialNow();
    sockets[0]?.close();
    await eventually("the one that somebody waits for is next", WAIT_MS, () => gateway.held.has("session-3"));
    gateway.held.get("session-3")?.();
    await eventually("then the last", WAIT_MS, () => gateway.held.has("session-2"));
    expect(gateway.asked).toEqual(["session-0", "session-3", "session-2"]);
  });
});
