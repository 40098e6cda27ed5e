// Sockets of administrators' pages that show how proxies are doing. They are told that there is something new, and ask for it.

const TAG = "proxies";
/** One per browser tab; the oldest make room. */
const MAX_WATCHERS = 50;
/** Several checks within this time are told as one. */
const CHANGED_DELAY_MS = 1_000;

export class ProxyWatchers {
  readonly #ctx: DurableObjectState;
  #isTelling = false;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
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
    if (this.#isTelling || this.#ctx.getWebSockets(TAG).length === 0) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      for (const socket of this.#ctx.getWebSockets(TAG)) if (socket.readyState === WebSocket.OPEN) socket.send("changed");
    }, CHANGED_DELAY_MS);
  }
}
