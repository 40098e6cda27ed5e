import { LIMITS } from "@gateway/domain/limits.ts";
import { BodyCapacity, type Reservation } from "./body-capacity.ts";
import { Pace, REAL_CLOCK } from "./pace.ts";

const MB = 1024 * 1024;
/** At this pace, reading long bodies takes at most about a fifth of the isolate's time. */
const PACE_BYTES_PER_MS = (20 * MB) / 1000;
const PACE_OF_READING = new Pace(PACE_BYTES_PER_MS);
/** The oldest body may use the same amount in addition, so that it can always finish. An isolate has 128 MB. */
const CAPACITY = new BodyCapacity({ bytes: LIMITS.bodyBytes, waitMs: 30_000, untouchedMs: 20_000 });
/** Total time that a client may pause. Each byte it sends extends this, so a client that sends 16 KB a second is never cut off. */
const SILENCE_MS = 15_000;
const SLOWEST_BYTES_PER_MS = 16;
/** Time that a client may pause while other bodies wait for capacity. */
const SILENCE_BESIDE_WAITING_MS = 1_000;

/** Bounds for discarding a refused body. A client that is still sending would otherwise see a broken connection, not the response. */
export type Discard = { bytes: number; ms: number; pace: Pace };

/** Bounds for callers with accepted credentials. The platform's own limit is 100 MB. */
export const DISCARD_OF_CALLERS: Discard = { bytes: 75 * MB, ms: 30_000, pace: new Pace(PACE_BYTES_PER_MS) };
/** For blocked addresses. It is large enough that the sender of a small body still sees the response. */
export const DISCARD_OF_BLOCKED: Discard = { bytes: MB, ms: 1_000, pace: new Pace(PACE_BYTES_PER_MS) };
/** Bounds for everybody else, which allow the largest legitimate body. */
export const DISCARD_OF_STRANGERS: Discard = { bytes: LIMITS.bodyBytes, ms: 10_000, pace: new Pace(PACE_BYTES_PER_MS) };

const BUFFER_BYTES = 64 * 1024;

/** `broken` bodies ended early, were too slow or had malformed chunks. `overloaded` means that too many long bodies were being read. */
export type Interruption = "broken" | "overloaded";

export class IncomingBody {
  readonly declaredBytes: number | null;
  readonly contentType: string | null;
  readonly #request: Request;
  #opened: ReadableStreamBYOBReader | null | undefined;
  #ended = false;
  /** Reused for the whole body, so that a flood does not create garbage. */
  #buffer: Uint8Array<ArrayBuffer> | null = null;
  readonly #buffered: Uint8Array[] = [];
  #size = 0;
  #silentMs = 0;
  #reservation: Reservation | null = null;

  constructor(request: Request) {
    const declared = request.headers.get("content-length");
    this.declaredBytes = declared === null ? null : Number(declared);
    this.contentType = request.headers.get("content-type");
    this.#request = request;
  }

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
    this.#buffered.push(...ahead);
    return size > bytes;
  }

  /** The next bytes, which are valid until the next call, or null at the end. A long body holds capacity until `leave`. */
  async next(): Promise<Uint8Array | null | Interruption> {
    if (this.#size > LIMITS.unscreenedBytes) {
      this.#reservation ??= CAPACITY.enter();
      if (!(await this.#reservation.grow(BUFFER_BYTES))) return "overloaded";
    }
    const chunk = this.#buffered.shift() ?? (await this.#readInTime());
    if (chunk === null || typeof chunk === "string") return chunk;
    this.#size += chunk.length;
    if (this.#reservation !== null) {
      this.#reservation.bytes -= BUFFER_BYTES - chunk.length;
      this.#reservation.touch();
      await PACE_OF_READING.keep(chunk.length);
    }
    return chunk;
  }

  /** Call it before parsing a text of this length, because parsing also takes memory and time. */
  async prepareToParse(bytes: number): Promise<"ready" | "overloaded"> {
    if (this.#reservation === null) return "ready";
    if (!(await this.#reservation.grow(2 * bytes))) return "overloaded";
    await PACE_OF_READING.keep(bytes);
    return "ready";
  }

  leave(): void {
    this.#reservation?.leave();
  }

  /** Discards the rest of the body within these bounds. Returns the number of bytes. */
  async discard({ bytes, ms, pace }: Discard): Promise<number> {
    this.leave();
    const buffered = this.#buffered.splice(0).reduce((sum, chunk) => sum + chunk.length, 0);
    const reader = this.#reader();
    if (reader === null) return buffered;
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
    return buffered + bytes - left;
  }

  async #readInTime(): Promise<Uint8Array | null | Interruption> {
    const startedAt = REAL_CLOCK.now();
    const allowedMs = SILENCE_MS + this.#size / SLOWEST_BYTES_PER_MS - this.#silentMs;
    let ended: Interruption | null = null;
    const watch = setInterval(() => {
      if (REAL_CLOCK.now() - startedAt >= allowedMs) ended = "broken";
      else if (this.#reservation !== null && CAPACITY.isWaitedFor()) ended = "overloaded";
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
      // If the bytes were available at once, the stream may return an empty chunk.
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
