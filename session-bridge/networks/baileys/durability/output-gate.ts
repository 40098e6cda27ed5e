// Holds outgoing frames, in order, until all earlier writes are durable. Therefore, no receipt is sent before its message is stored, no
// message before its ratchet, and no pre-key before its private half (docs/internals/durability.md, "The output gate").
import type WebSocket from "ws";
import type { WriteBehindCache } from "#bridge/store/write-behind-cache.ts";

type Queued = { watermark: number; bytes: Parameters<WebSocket["send"]>[0] } | { watermark: number; resolve: (written: boolean) => void };

export class OutputGate {
  readonly #store: WriteBehindCache;
  readonly #queue: Queued[] = [];
  readonly #unsubscribe: () => void;
  readonly #write: (bytes: Parameters<WebSocket["send"]>[0]) => void;
  readonly #isOpen: () => boolean;
  #closed = false;
  #accepted = 0;
  #passed = 0;

  constructor(store: WriteBehindCache, socket: WebSocket) {
    this.#store = store;
    const write = socket.send.bind(socket) as (bytes: unknown, callback?: (error?: Error) => void) => void;
    this.#isOpen = () => socket.readyState === socket.OPEN;
    this.#write = (bytes) => {
      this.#passed += 1;
      write(bytes, () => undefined);
    };
    this.#unsubscribe = store.onDurable(() => this.#flush());
    socket.send = ((bytes: Parameters<WebSocket["send"]>[0], ...rest: unknown[]) => this.#send(bytes, rest.at(-1))) as WebSocket["send"];
  }

  /** Resolves to true once everything sent so far has been handed to the socket, and to false if the socket closes first. */
  written(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    if (this.#queue.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => this.#queue.push({ watermark: 0, resolve }));
  }

  /** Returns a function that is true once a frame sent after this call has been handed to the socket. */
  mark(): () => boolean {
    const earlier = this.#accepted;
    return () => this.#passed > earlier;
  }

  /** Call it when the socket has closed. Returns the number of unsent frames. */
  close(): number {
    this.#closed = true;
    this.#unsubscribe();
    const left = this.#queue.splice(0);
    for (const item of left) if ("resolve" in item) item.resolve(false);
    return left.filter((item) => "bytes" in item).length;
  }

  #send(bytes: Parameters<WebSocket["send"]>[0], callback: unknown): void {
    if (!this.#closed) {
      this.#accepted += 1;
      const watermark = this.#store.watermark();
      if (this.#queue.length === 0 && watermark === 0) this.#write(bytes);
      else this.#queue.push({ watermark, bytes });
    }
    // Called at once, because Baileys holds its lock until then. Waiting for the store would limit sends to one per round trip.
    if (typeof callback === "function") queueMicrotask(() => (callback as () => void)());
  }

  #flush(): void {
    const durable = this.#store.durableThrough;
    while (this.#queue.length > 0) {
      const next = this.#queue[0];
      if (next === undefined || next.watermark > durable) return;
      this.#queue.shift();
      if ("resolve" in next) next.resolve(this.#isOpen());
      else if (this.#isOpen()) this.#write(next.bytes);
    }
  }
}
