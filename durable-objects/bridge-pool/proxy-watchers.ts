// Sockets of administrators' pages that show how proxies are doing. They are told that there is something new, and ask for it. All of them
// are at the pool `default`, which shards tell of their checks.
import { errorFields, log } from "../../src/log.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";

const TAG = "proxies";
/** One per browser tab; the oldest make room. */
const MAX_WATCHERS = 50;
/** Several checks within this time are told as one. */
const CHANGED_DELAY_MS = 1_000;

export class ProxyWatchers {
  readonly #ctx: DurableObjectState;
  readonly #notifyDefault: (() => Promise<void>) | null;
  #isTelling = false;

  /** `notifyDefault`: of a shard. */
  constructor(ctx: DurableObjectState, notifyDefault: (() => Promise<void>) | null) {
    this.#ctx = ctx;
    this.#notifyDefault = notifyDefault;
  }

  /** Answers the worker's upgrade request. */
  accept(): Response {
    const watching = this.#ctx.getWebSockets(TAG);
    for (const oldest of watching.slice(0, Math.max(0, watching.length + 1 - MAX_WATCHERS))) oldest.close(1013, "too many watchers");
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, [TAG]);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#ctx.getTags(socket).includes(TAG);
  }

  /** Checks are in D1. */
  changed(): void {
    if (this.#isTelling || (this.#notifyDefault === null && this.#ctx.getWebSockets(TAG).length === 0)) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      this.#notify();
    }, CHANGED_DELAY_MS);
  }

  #notify(): void {
    for (const socket of this.#ctx.getWebSockets(TAG)) if (socket.readyState === WebSocket.OPEN) socket.send("changed");
    // What is not told is told with the next check.
    this.#notifyDefault?.().catch((error: unknown) => log("pool.unreachable", { pool: DEFAULT_POOL, ...errorFields(error) }));
  }
}
