// The bytes of a request as they arrive.
import { LIMITS } from "../../domain/limits.ts";
import { Pace } from "./pace.ts";
import { type Place, Room } from "./room.ts";

const MB = 1024 * 1024;
/** So that long bodies take at most about a quarter of the isolate's time. */
const PACE_OF_CALLERS = new Pace((32 * MB) / 1000);
/** Apart from the others, so that nobody without a credential keeps a caller waiting. */
const PACE_OF_STRANGERS = new Pace((32 * MB) / 1000);
/** What the JSON of a body takes besides its files: as text and as the value that it stands for. */
const JSON_BYTES = 2 * LIMITS.jsonBytes;
/** A body of which nothing comes for so long loses its place, and one that is whole after so long without being stored. */
const IDLE_MS = 1_000;
const WHOLE_MS = 10_000;
/** Two of the longest; an isolate has 128 MB in all. */
const ROOM = new Room({ bytes: 2 * (LIMITS.bodyBytes + JSON_BYTES), waitMs: 30_000, idleMs: IDLE_MS });

/**
 * A client that is still sending when the answer comes sees a broken connection instead of the answer (docs/admission.md, "Request
 * bodies"). So the rest of a refused body is read and thrown away, up to so many bytes and milliseconds.
 */
export type Discard = { bytes: number; ms: number; pace: Pace };

/** For callers whose credential was accepted. The platform itself takes no more than 100 MB. */
export const DISCARD_OF_CALLERS: Discard = { bytes: 75 * MB, ms: 30_000, pace: PACE_OF_CALLERS };
/** For everybody else: the largest body that somebody could mean. */
export const DISCARD_OF_STRANGERS: Discard = { bytes: LIMITS.bodyBytes, ms: 10_000, pace: PACE_OF_STRANGERS };

const BUFFER_BYTES = 64 * 1024;

/** `broken`: the body ended early or its chunks are malformed; `no_room`: too many long bodies at once. */
export type Interruption = "broken" | "no_room";

export class IncomingBody {
  /** What `Content-Length` says; null when it says nothing. */
  readonly declaredBytes: number | null;
  readonly contentType: string | null;
  readonly #request: Request;
  /** Undefined until the first byte is wanted. */
  #opened: ReadableStreamBYOBReader | null | undefined;
  #ended = false;
  /** One for the whole body, so that a flood leaves no garbage. */
  #buffer: Uint8Array<ArrayBuffer> | null = null;
  /** Read ahead by `isLongerThan`. */
  readonly #held: Uint8Array[] = [];
  #size = 0;
  #place: Place | null = null;

  constructor(request: Request) {
    const declared = request.headers.get("content-length");
    this.declaredBytes = declared === null ? null : Number(declared);
    this.contentType = request.headers.get("content-type");
    this.#request = request;
  }

  /** Reads no further than to know it. A body that breaks off before is not. */
  async isLongerThan(bytes: number): Promise<boolean> {
    if (this.declaredBytes !== null) return this.declaredBytes > bytes;
    const ahead: Uint8Array[] = [];
    let size = 0;
    while (size <= bytes) {
      const chunk = await this.#read();
      if (chunk === null || chunk === "broken") break;
      ahead.push(chunk.slice());
      size += chunk.length;
    }
    this.#held.push(...ahead);
    return size > bytes;
  }

  /** The next bytes, which stay only until the next call; null at the end. A long body takes a place, until `leave`. */
  async next(): Promise<Uint8Array | null | Interruption> {
    if (this.#size > LIMITS.unscreenedBytes) {
      this.#place ??= await ROOM.take(Math.min(this.declaredBytes ?? LIMITS.bodyBytes, LIMITS.bodyBytes) + JSON_BYTES);
      if (this.#place === null) return "no_room";
    }
    const chunk = this.#held.shift() ?? (await this.#read());
    if (chunk === null || chunk === "broken") {
      this.#place?.keep(WHOLE_MS);
      return chunk;
    }
    this.#size += chunk.length;
    if (this.#place !== null) await PACE_OF_CALLERS.keep(chunk.length);
    this.#place?.keep(IDLE_MS);
    return chunk;
  }

  /** Before work that takes about as long as reading so many bytes. */
  async pause(bytes: number): Promise<void> {
    if (this.#place !== null) await PACE_OF_CALLERS.keep(bytes);
  }

  /** What was read takes no memory any more. */
  leave(): void {
    this.#place?.leave();
  }

  /** Reads and throws away what is left, within these bounds. */
  async discard({ bytes, ms, pace }: Discard): Promise<void> {
    this.leave();
    const reader = this.#reader();
    if (reader === null) return;
    const cancel = () => void reader.cancel().catch(() => undefined);
    const timer = setTimeout(cancel, ms);
    let left = bytes;
    while (left >= 0) {
      const chunk = await this.#read();
      if (chunk === null || chunk === "broken") break;
      left -= chunk.length;
      if (left < 0) cancel();
      await pace.keep(chunk.length);
    }
    clearTimeout(timer);
  }

  async #read(): Promise<Uint8Array | null | "broken"> {
    const reader = this.#reader();
    if (reader === null || this.#ended) return null;
    try {
      this.#buffer ??= new Uint8Array(Math.min(this.declaredBytes || BUFFER_BYTES, BUFFER_BYTES));
      const { done, value } = await reader.read(this.#buffer);
      this.#ended = done;
      if (done) return null;
      // A stream whose bytes were there at once may have given it back empty.
      this.#buffer = value.buffer.byteLength === 0 ? null : new Uint8Array(value.buffer as ArrayBuffer);
      return value;
    } catch {
      return "broken";
    }
  }

  #reader(): ReadableStreamBYOBReader | null {
    this.#opened ??= this.#request.body?.getReader({ mode: "byob" }) ?? null;
    return this.#opened;
  }
}
