// The bytes of a request as they arrive.
import { LIMITS } from "@gateway/domain/limits.ts";
import { Pace, REAL_CLOCK } from "./pace.ts";
import { type Place, Room } from "./room.ts";

const MB = 1024 * 1024;
/** So that long bodies take at most about a fifth of the isolate's time. */
const PACE_BYTES_PER_MS = (20 * MB) / 1000;
const PACE_OF_READING = new Pace(PACE_BYTES_PER_MS);
/** As much again is for the oldest body alone; an isolate has 128 MB in all. */
const ROOM = new Room({ bytes: LIMITS.bodyBytes, waitMs: 30_000, untouchedMs: 20_000 });
/** A client may be silent for so long in all, and longer the more it has brought: 16 KB a second are enough. */
const SILENCE_MS = 15_000;
const SLOWEST_BYTES_PER_MS = 16;
/** And for so long at a time while others wait for room. */
const SILENCE_BESIDE_WAITING_MS = 1_000;

/**
 * A client that is still sending when the answer comes sees a broken connection instead of the answer (docs/internals/requests.md, "Request
 * bodies"). So the rest of a refused body is read and thrown away, up to so many bytes and milliseconds.
 */
export type Discard = { bytes: number; ms: number; pace: Pace };

/** For callers whose credential was accepted. The platform itself takes no more than 100 MB. */
export const DISCARD_OF_CALLERS: Discard = { bytes: 75 * MB, ms: 30_000, pace: new Pace(PACE_BYTES_PER_MS) };
/** For addresses that are blocked: enough for a small body's sender to see the answer. */
export const DISCARD_OF_BLOCKED: Discard = { bytes: MB, ms: 1_000, pace: new Pace(PACE_BYTES_PER_MS) };
/** For everybody else: the largest body that somebody could mean. */
export const DISCARD_OF_STRANGERS: Discard = { bytes: LIMITS.bodyBytes, ms: 10_000, pace: new Pace(PACE_BYTES_PER_MS) };

const BUFFER_BYTES = 64 * 1024;

/** `broken`: the body ended early, came too slowly, or its chunks are malformed; `no_room`: too many long bodies at once. */
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
  /** How long the client was waited for. */
  #silentMs = 0;
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
      const chunk = await this.#readInTime();
      if (chunk === null || typeof chunk === "string") break;
      ahead.push(chunk.slice());
      size += chunk.length;
    }
    this.#held.push(...ahead);
    return size > bytes;
  }

  /** The next bytes, which stay only until the next call; null at the end. A long body takes room in memory, until `leave`. */
  async next(): Promise<Uint8Array | null | Interruption> {
    if (this.#size > LIMITS.unscreenedBytes) {
      this.#place ??= ROOM.enter();
      if (!(await this.#place.grow(BUFFER_BYTES))) return "no_room";
    }
    const chunk = this.#held.shift() ?? (await this.#readInTime());
    if (chunk === null || typeof chunk === "string") return chunk;
    this.#size += chunk.length;
    if (this.#place !== null) {
      this.#place.bytes -= BUFFER_BYTES - chunk.length;
      this.#place.touch();
      await PACE_OF_READING.keep(chunk.length);
    }
    return chunk;
  }

  /** Before a text of so many bytes is parsed: that takes room for the text and its value, and as long as reading it. */
  async prepareToParse(bytes: number): Promise<"ready" | "no_room"> {
    if (this.#place === null) return "ready";
    if (!(await this.#place.grow(2 * bytes))) return "no_room";
    await PACE_OF_READING.keep(bytes);
    return "ready";
  }

  /** What was read takes no memory any more. */
  leave(): void {
    this.#place?.leave();
  }

  /** Reads and throws away what is left, within these bounds; how many bytes that was. */
  async discard({ bytes, ms, pace }: Discard): Promise<number> {
    this.leave();
    const held = this.#held.splice(0).reduce((sum, chunk) => sum + chunk.length, 0);
    const reader = this.#reader();
    if (reader === null) return held;
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
    return held + bytes - left;
  }

  async #readInTime(): Promise<Uint8Array | null | Interruption> {
    const startedAt = REAL_CLOCK.now();
    const allowedMs = SILENCE_MS + this.#size / SLOWEST_BYTES_PER_MS - this.#silentMs;
    let ended: Interruption | null = null;
    const watch = setInterval(() => {
      if (REAL_CLOCK.now() - startedAt >= allowedMs) ended = "broken";
      else if (this.#place !== null && ROOM.isWaitedFor()) ended = "no_room";
      if (ended !== null) void this.#opened?.cancel().catch(() => undefined);
    }, SILENCE_BESIDE_WAITING_MS);
    const chunk = await this.#read();
    clearInterval(watch);
    this.#silentMs += REAL_CLOCK.now() - startedAt;
    return ended ?? chunk;
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
