// Memory copy of a connection's state rows, written through to the Connection object in commits. Reads never leave the process
// (docs/durability.md, "State in memory, rows in the object"). One commit is in flight, the rest gathers behind it.
import type { KeyedEvent, NetworkEvent } from "../../src/protocol/events.ts";
import { COLD_ROWS } from "../../src/protocol/session-socket.ts";
import { typeOf, type RowCodec } from "./row-codec.ts";

/** A commit is cut near this size, so that one frame stays small beside the socket's and the object's limits. */
const COMMIT_BYTES = 384_000;
/** What a row is reckoned at before it is encoded. */
const ROW_BYTES = 1_500;

const COLD: ReadonlySet<string> = new Set(COLD_ROWS);
/** Their values are made afresh at each write, so the same object means that nothing changed (the commit after a write-ahead). */
const FRESH_AT_EACH_WRITE = new Set(["session", "sender-key"]);

/** Of these nobody waits for the commit: they go with the next one, or after a moment by themselves. */
const UNHURRIED: ReadonlySet<string> = new Set<NetworkEvent["type"]>(["message.status"]);
const MOMENT_MS = 10;

/** null deletes. */
export type Write = readonly [name: string, value: unknown];

type Gathering = {
  /** Counts commits; everything in it is durable once `durableThrough` has reached it. */
  id: number;
  rows: Map<string, unknown>;
  /** Rows that did not exist before this commit: deleted again, they need not be told at all. */
  born: Set<string>;
  events: string[];
  bytes: number;
};

type Commit = { id: number; seq: number; frame: string; rows: Map<string, unknown> };

export class Mirror {
  readonly #codec: RowCodec;
  readonly #live = new Map<string, unknown>();
  /** Rows as they came, opened at first use: a session starts without decrypting its 800 prekeys. */
  readonly #sealed = new Map<string, string>();
  readonly #gathering: Gathering[] = [];
  readonly #onDurable = new Set<() => void>();
  #inFlight: Commit | null = null;
  #lastId = 0;
  #durableThrough = 0;
  #seq: number;
  #waitingSince: number | null = null;
  #announced = false;
  #moment: NodeJS.Timeout | undefined;
  readonly #announce: () => void;

  /** `announce` is called (not at once) when there is something to commit; answer it with `next()`. */
  constructor(codec: RowCodec, storedThrough: number, announce: () => void) {
    this.#codec = codec;
    this.#seq = storedThrough;
    this.#announce = announce;
  }

  load(rows: readonly (readonly [name: string, sealed: string])[]): void {
    for (const [name, sealed] of rows) this.#sealed.set(name, sealed);
  }

  /** Every row that is kept (not the cold ones). */
  names(): string[] {
    return [...this.#live.keys(), ...this.#sealed.keys()];
  }

  has(name: string): boolean {
    return this.#live.has(name) || this.#sealed.has(name);
  }

  get(name: string): unknown {
    const value = this.#live.get(name);
    if (value !== undefined) return value;
    const sealed = this.#sealed.get(name);
    if (sealed === undefined) return undefined;
    const opened = this.#codec.open(name, sealed);
    // A prekey is read once, when its session begins: no need to keep it open.
    if (typeOf(name) !== "pre-key") this.#keep(name, opened);
    return opened;
  }

  /** Writes all or none: they are in one commit. `urgent` false: it may wait a moment for company. */
  put(writes: readonly Write[], urgent = true): void {
    const changed = writes.filter(([name, value]) => this.#changes(name, value));
    if (changed.length === 0) return;
    const gathering = this.#open();
    for (const [name, value] of changed) this.#write(gathering, name, value);
    this.#stir(urgent);
  }

  emit(events: readonly KeyedEvent[]): void {
    for (const event of events) {
      const json = JSON.stringify(event);
      const gathering = this.#open();
      gathering.events.push(json);
      gathering.bytes += json.length;
    }
    if (events.length > 0) this.#stir(events.some(({ event }) => !UNHURRIED.has(event.type)));
  }

  /** The commit that holds the newest write; 0 when all is durable. */
  mark(): number {
    return this.#lastId > this.#durableThrough ? this.#lastId : 0;
  }

  get durableThrough(): number {
    return this.#durableThrough;
  }

  /** Commits not yet confirmed. */
  get pending(): number {
    return this.#gathering.length + (this.#inFlight === null ? 0 : 1);
  }

  /** Since when (Unix ms) something has been waiting without any commit being confirmed; null when all is durable. */
  get waitingSince(): number | null {
    return this.#waitingSince;
  }

  onDurable(heard: () => void): () => void {
    this.#onDurable.add(heard);
    return () => this.#onDurable.delete(heard);
  }

  async settled(): Promise<void> {
    const mark = this.mark();
    if (mark === 0) return;
    await new Promise<void>((resolve) => {
      const stop = this.onDurable(() => {
        if (this.#durableThrough < mark) return;
        stop();
        resolve();
      });
    });
  }

  /** The next commit frame, or null: one is in flight, or nothing waits. */
  next(): string | null {
    this.#announced = false;
    clearTimeout(this.#moment);
    this.#moment = undefined;
    if (this.#inFlight !== null) return null;
    const gathering = this.#gathering.shift();
    if (gathering === undefined) return null;
    if (gathering.rows.size === 0 && gathering.events.length === 0) {
      this.#confirmed(gathering.id);
      return this.next();
    }
    this.#seq += 1;
    this.#inFlight = { id: gathering.id, seq: this.#seq, frame: this.#frame(gathering), rows: gathering.rows };
    return this.#inFlight.frame;
  }

  /** After a redial: what the object has not confirmed goes again, byte for byte. */
  again(storedThrough: number): string | null {
    if (this.#inFlight !== null && this.#inFlight.seq <= storedThrough) this.stored(storedThrough);
    return this.#inFlight?.frame ?? this.next();
  }

  stored(seq: number): void {
    if (this.#inFlight === null || this.#inFlight.seq !== seq) return;
    const { id } = this.#inFlight;
    this.#inFlight = null;
    this.#confirmed(id);
  }

  /** A cold row that is not confirmed yet; undefined when the object has to be asked, null when it was deleted. */
  unconfirmed(name: string): unknown {
    for (let at = this.#gathering.length - 1; at >= 0; at -= 1) {
      const rows = this.#gathering[at]?.rows;
      if (rows?.has(name)) return rows.get(name);
    }
    return this.#inFlight?.rows.get(name);
  }

  open(name: string, sealed: string): unknown {
    return this.#codec.open(name, sealed);
  }

  #confirmed(id: number): void {
    this.#durableThrough = id;
    this.#waitingSince = this.#gathering.length > 0 ? Date.now() : null;
    for (const heard of this.#onDurable) heard();
  }

  #changes(name: string, value: unknown): boolean {
    const type = typeOf(name);
    if (COLD.has(type)) return true;
    if (value === null) return this.has(name);
    return !(FRESH_AT_EACH_WRITE.has(type) && this.#live.get(name) === value);
  }

  #write(gathering: Gathering, name: string, value: unknown): void {
    const cold = COLD.has(typeOf(name));
    if (!cold && !this.has(name)) gathering.born.add(name);
    if (value === null) this.#forget(name);
    else if (!cold) this.#keep(name, value);
    gathering.rows.delete(name);
    if (value === null && gathering.born.delete(name)) return;
    gathering.rows.set(name, value);
    gathering.bytes += Buffer.isBuffer(value) ? value.length : ROW_BYTES;
  }

  #keep(name: string, value: unknown): void {
    this.#sealed.delete(name);
    this.#live.set(name, value);
  }

  #forget(name: string): void {
    this.#sealed.delete(name);
    this.#live.delete(name);
  }

  #open(): Gathering {
    const last = this.#gathering.at(-1);
    if (last !== undefined && last.bytes < COMMIT_BYTES) return last;
    this.#lastId += 1;
    const gathering = { id: this.#lastId, rows: new Map<string, unknown>(), born: new Set<string>(), events: [], bytes: 0 };
    this.#gathering.push(gathering);
    return gathering;
  }

  #stir(urgent: boolean): void {
    this.#waitingSince ??= Date.now();
    if (this.#announced || this.#inFlight !== null) return;
    if (!urgent) {
      this.#moment ??= setTimeout(this.#announce, MOMENT_MS);
      return;
    }
    this.#announced = true;
    // What one turn of the event loop writes goes together: a stanza's journal row is often deleted in the turn that wrote it.
    setImmediate(this.#announce);
  }

  #frame(gathering: Gathering): string {
    const rows: [string, string | null][] = [];
    for (const [name, value] of gathering.rows) {
      const sealed = value === null ? null : this.#codec.seal(name, value);
      rows.push([name, sealed]);
      if (sealed !== null && typeOf(name) === "pre-key" && this.#live.get(name) === value) {
        this.#live.delete(name);
        this.#sealed.set(name, sealed);
      }
    }
    return `{"type":"commit","seq":${this.#seq},"rows":${JSON.stringify(rows)},"events":[${gathering.events.join(",")}]}`;
  }
}
