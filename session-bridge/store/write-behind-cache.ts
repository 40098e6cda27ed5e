// Writes and events form ordered commits, of which one is in flight at a time. A watermark tells when everything is stored.
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import { frameJson } from "../gateway/frame-json.ts";
import { COLD_ROWS, MAX_ROW_KEY } from "@gateway/protocol/session-socket.ts";
import { typeOf, unpooledRow, type RowCodec } from "./row-codec.ts";
import { rowType } from "./row-types.ts";

/** A commit takes no more writes once it reaches about this size, which is well below the frame limits of the socket and the object. */
const MAX_COMMIT_BYTES = 384_000;
const ESTIMATED_ROW_BYTES = 1_500;

const COLD: ReadonlySet<string> = new Set(COLD_ROWS);

/** Events that nothing is waiting for. They join the next commit, or start one after DEFER_MS. */
const DEFERRABLE_EVENTS: ReadonlySet<string> = new Set<NetworkEvent["type"]>(["message.status"]);
const DEFER_MS = 10;

export type Write = readonly [name: string, value: unknown];

type Batch = {
  id: number;
  rows: Map<string, unknown>;
  newRows: Set<string>;
  events: string[];
  bytes: number;
};

type Commit = { id: number; seq: number; frame: string; rows: Map<string, unknown>; builtAt: number };

export class WriteBehindCache {
  readonly #codec: RowCodec;
  readonly #values = new Map<string, unknown>();
  /** Rows that are still encrypted. Each is decrypted on first use, so that a session starts without decrypting its 800 pre-keys. */
  readonly #sealed = new Map<string, string>();
  readonly #batches: Batch[] = [];
  readonly #onDurable = new Set<() => void>();
  #inFlight: Commit | null = null;
  #lastId = 0;
  #durableThrough = 0;
  #seq: number;
  #waitingSince: number | null = null;
  #deleted = false;
  #flushScheduled = false;
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #onPending: () => void;
  readonly #onStored: (tookMs: number) => void;

  /** `onPending` must call `nextCommit()`. `onStored` receives the time from commit to confirmation. */
  constructor(codec: RowCodec, storedThrough: number, onPending: () => void, onStored: (tookMs: number) => void = () => undefined) {
    this.#codec = codec;
    this.#seq = storedThrough;
    this.#onPending = onPending;
    this.#onStored = onStored;
  }

  load(rows: readonly (readonly [name: string, sealed: string])[]): void {
    for (const [name, sealed] of rows) this.#sealed.set(name, sealed);
  }

  names(): string[] {
    return [...this.#values.keys(), ...this.#sealed.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#sealed.has(name);
  }

  get(name: string): unknown {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const sealed = this.#sealed.get(name);
    if (sealed === undefined) return undefined;
    const opened = this.#codec.open(name, sealed);
    if (rowType(typeOf(name)).isReadOnce) return opened;
    this.#cache(name, opened);
    return this.#values.get(name);
  }

  /**
   * All writes go into one commit. If `urgent` is false, the commit may start up to DEFER_MS later, to include other writes. Names longer
   * than the object accepts are dropped, because it would refuse their commit forever.
   */
  put(writes: readonly Write[], urgent = true): void {
    if (this.#deleted) return;
    const changed = writes.filter(([name, value]) => name.length <= MAX_ROW_KEY && this.#changes(name, value));
    if (changed.length === 0) return;
    const batch = this.#openBatch();
    for (const [name, value] of changed) this.#write(batch, name, value);
    this.#scheduleFlush(urgent);
  }

  /** Deletes all rows in this cache and ignores later writes, because nothing of an unlinked device may remain. */
  deleteAll(): void {
    this.put(this.names().map((name): Write => [name, null]));
    this.#deleted = true;
  }

  emit(events: readonly KeyedEvent[]): void {
    for (const event of events) {
      const json = frameJson(event);
      const batch = this.#openBatch();
      batch.events.push(json);
      batch.bytes += json.length;
    }
    if (events.length > 0) this.#scheduleFlush(events.some(({ event }) => !DEFERRABLE_EVENTS.has(event.type)));
  }

  /** Id of the batch with the newest write, or 0 when everything is durable. */
  watermark(): number {
    return this.#lastId > this.#durableThrough ? this.#lastId : 0;
  }

  get durableThrough(): number {
    return this.#durableThrough;
  }

  get pending(): number {
    return this.#batches.length + (this.#inFlight === null ? 0 : 1);
  }

  /** How long the oldest unconfirmed write has waited (ms), or null when everything is durable. A change of the clock does not count. */
  get waitingMs(): number | null {
    return this.#waitingSince === null ? null : performance.now() - this.#waitingSince;
  }

  onDurable(listener: () => void): () => void {
    this.#onDurable.add(listener);
    return () => this.#onDurable.delete(listener);
  }

  async flushed(): Promise<void> {
    const mark = this.watermark();
    if (mark === 0) return;
    await new Promise<void>((resolve) => {
      const stop = this.onDurable(() => {
        if (this.#durableThrough < mark) return;
        stop();
        resolve();
      });
    });
  }

  nextCommit(): string | null {
    this.#flushScheduled = false;
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#inFlight !== null) return null;
    const batch = this.#batches.shift();
    if (batch === undefined) return null;
    if (batch.rows.size === 0 && batch.events.length === 0) {
      this.#confirmed(batch.id);
      return this.nextCommit();
    }
    const seq = this.#seq + 1;
    const frame = this.#frame(batch, seq);
    // Increases the number only once the frame is built, because the object refuses all commits after a missing number.
    this.#seq = seq;
    this.#inFlight = { id: batch.id, seq, frame, rows: batch.rows, builtAt: performance.now() };
    return frame;
  }

  /** After a reconnect, returns any unconfirmed commit, which must be resent byte for byte. */
  resume(storedThrough: number): string | null {
    if (this.#inFlight !== null && this.#inFlight.seq <= storedThrough) this.confirm(this.#inFlight.seq);
    return this.#inFlight?.frame ?? this.nextCommit();
  }

  confirm(seq: number): void {
    if (this.#inFlight === null || this.#inFlight.seq !== seq) return;
    const { id, builtAt } = this.#inFlight;
    this.#inFlight = null;
    this.#onStored(performance.now() - builtAt);
    this.#confirmed(id);
  }

  /** Looks up a cold row in the unconfirmed commit. Null if the row was deleted, and undefined if the object has to be queried. */
  unconfirmed(name: string): unknown {
    for (let at = this.#batches.length - 1; at >= 0; at -= 1) {
      const rows = this.#batches[at]?.rows;
      if (rows?.has(name)) return rows.get(name);
    }
    return this.#inFlight?.rows.get(name);
  }

  open(name: string, sealed: string): unknown {
    return this.#codec.open(name, sealed);
  }

  #confirmed(id: number): void {
    this.#durableThrough = id;
    this.#waitingSince = this.#batches.length > 0 ? performance.now() : null;
    for (const listener of this.#onDurable) listener();
  }

  #changes(name: string, value: unknown): boolean {
    const type = typeOf(name);
    if (COLD.has(type)) return true;
    if (value === null) return this.has(name);
    return !(rowType(type).isReplacedOnChange && isSame(this.#values.get(name), value));
  }

  #write(batch: Batch, name: string, value: unknown): void {
    const cold = COLD.has(typeOf(name));
    // If this batch deletes a row, the object still has its old value. A later write and deletion must then send the deletion too.
    if (!cold && !this.has(name) && !batch.rows.has(name)) batch.newRows.add(name);
    if (value === null) this.#drop(name);
    else if (!cold) this.#cache(name, value);
    batch.rows.delete(name);
    if (value === null && batch.newRows.delete(name)) return;
    batch.rows.set(name, value);
    batch.bytes += Buffer.isBuffer(value) ? value.length : ESTIMATED_ROW_BYTES;
  }

  #cache(name: string, value: unknown): void {
    this.#sealed.delete(name);
    const { hasNoBytes, isReadOnce } = rowType(typeOf(name));
    this.#values.set(name, hasNoBytes || isReadOnce ? value : unpooledRow(value));
  }

  #drop(name: string): void {
    this.#sealed.delete(name);
    this.#values.delete(name);
  }

  #openBatch(): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && last.bytes < MAX_COMMIT_BYTES) return last;
    this.#lastId += 1;
    const batch = { id: this.#lastId, rows: new Map<string, unknown>(), newRows: new Set<string>(), events: [], bytes: 0 };
    this.#batches.push(batch);
    return batch;
  }

  #scheduleFlush(urgent: boolean): void {
    this.#waitingSince ??= performance.now();
    if (this.#flushScheduled || this.#inFlight !== null) return;
    if (!urgent) {
      this.#flushTimer ??= setTimeout(this.#onPending, DEFER_MS);
      return;
    }
    this.#flushScheduled = true;
    // Writes from one event-loop turn share a commit, because a stanza's journal row is often deleted in the turn that wrote it.
    setImmediate(this.#onPending);
  }

  #frame(batch: Batch, seq: number): string {
    const rows: [string, string | null][] = [];
    for (const [name, value] of batch.rows) {
      const sealed = value === null ? null : this.#codec.seal(name, value);
      rows.push([name, sealed]);
      if (sealed !== null && rowType(typeOf(name)).isReadOnce && this.#values.get(name) === value) {
        this.#values.delete(name);
        this.#sealed.set(name, sealed);
      }
    }
    return `{"type":"commit","seq":${seq},"rows":${JSON.stringify(rows)},"events":[${batch.events.join(",")}]}`;
  }
}

function isSame(known: unknown, value: unknown): boolean {
  return known === value || (known instanceof Uint8Array && value instanceof Uint8Array && Buffer.compare(known, value) === 0);
}
