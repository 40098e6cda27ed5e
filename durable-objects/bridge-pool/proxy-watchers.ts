// Sockets of the administrators' proxy pages. All of them connect to the default pool, and the shards report their checks to it.
import { errorFields, log } from "#root/src/log.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";

const TAG = "proxies";
const MAX_WATCHERS = 50;
const CHANGED_DELAY_MS = 1_000;

export class ProxyWatchers {
  readonly #ctx: DurableObjectState;
  readonly #notifyDefault: (() => Promise<void>) | null;
  #isTelling = false;

  constructor(ctx: DurableObjectState, notifyDefault: (() => Promise<void>) | null) {
    this.#ctx = ctx;
    this.#notifyDefault = notifyDefault;
  }

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
    // A failure is only logged, because the next check reports the changes.
    this.#notifyDefault?.().catch((error: unknown) => log("pool.unreachable", { pool: DEFAULT_POOL, ...errorFields(error) }));
  }
}
