// Every byte for the network waits, in order, until all that was written to the mirror before it is durable. So no receipt leaves before its
// message is safe, no message before its ratchet, no prekey before its private half (docs/durability.md, "How messages get lost").
import type WebSocket from "ws";
import type { Mirror } from "../../../store/write-behind-cache.ts";

type Waiting = { mark: number; bytes: Parameters<WebSocket["send"]>[0] } | { mark: number; told: (written: boolean) => void };

export class OutputGate {
  readonly #mirror: Mirror;
  readonly #waiting: Waiting[] = [];
  readonly #stopHearing: () => void;
  readonly #write: (bytes: Parameters<WebSocket["send"]>[0]) => void;
  readonly #isOpen: () => boolean;
  #closed = false;

  constructor(mirror: Mirror, socket: WebSocket) {
    this.#mirror = mirror;
    const write = socket.send.bind(socket) as (bytes: unknown, callback?: (error?: Error) => void) => void;
    this.#isOpen = () => socket.readyState === socket.OPEN;
    // A failed write is followed by the socket's own close; it needs no second voice.
    this.#write = (bytes) => write(bytes, () => undefined);
    this.#stopHearing = mirror.onDurable(() => this.#flush());
    socket.send = ((bytes: Parameters<WebSocket["send"]>[0], ...rest: unknown[]) => this.#send(bytes, rest.at(-1))) as WebSocket["send"];
  }

  /** true once everything sent so far is with the socket; false when the socket closed first. */
  written(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    if (this.#waiting.length === 0) return Promise.resolve(true);
    return new Promise((told) => this.#waiting.push({ mark: 0, told }));
  }

  /** The socket is gone. Answers how many frames never left. */
  close(): number {
    this.#closed = true;
    this.#stopHearing();
    const left = this.#waiting.splice(0);
    for (const item of left) if ("told" in item) item.told(false);
    return left.filter((item) => "bytes" in item).length;
  }

  #send(bytes: Parameters<WebSocket["send"]>[0], callback: unknown): void {
    if (!this.#closed) {
      const mark = this.#mirror.mark();
      if (this.#waiting.length === 0 && mark === 0) this.#write(bytes);
      else this.#waiting.push({ mark, bytes });
    }
    // Baileys holds its lock until this is called: waiting for the store here would limit sends to one per round trip.
    if (typeof callback === "function") queueMicrotask(() => (callback as () => void)());
  }

  #flush(): void {
    const durable = this.#mirror.durableThrough;
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0];
      if (next === undefined || next.mark > durable) return;
      this.#waiting.shift();
      if ("told" in next) next.told(this.#isOpen());
      else if (this.#isOpen()) this.#write(next.bytes);
    }
  }
}
