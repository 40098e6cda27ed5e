import { BufferJSON, type SignalDataSet, type SignalDataTypeMap, type SignalKeyStore } from "baileys";
import { dropOldChains } from "session-bridge/networks/baileys/durability/trial-decryption.ts";
import { statement, type Database } from "./database.ts";

/** Enough for the sessions of a phone's active chats. */
const MAX_KNOWN = 256;

/** Writes stay in memory until `write`, so that a ratchet step and its message share a transaction. */
export class SignalKeys implements SignalKeyStore {
  readonly #db: Database;
  readonly #pn: string;
  readonly #waiting = new Map<string, { type: string; id: string; value: string | null }>();
  /** Caches stored rows, the most recently used last, because a ratchet is read again with each message. */
  readonly #known = new Map<string, string | null>();

  constructor(db: Database, pn: string) {
    this.#db = db;
    this.#pn = pn;
  }

  get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]): { [id: string]: SignalDataTypeMap[T] } {
    const found: { [id: string]: SignalDataTypeMap[T] } = {};
    for (const id of ids) {
      const text = this.#read(type, id);
      if (text !== null) found[id] = JSON.parse(text, BufferJSON.reviver) as SignalDataTypeMap[T];
    }
    return found;
  }

  set(data: SignalDataSet): void {
    // Drops old chains, as real phones do, because libsignal keeps them.
    for (const record of Object.values(data.session ?? {})) dropOldChains(record);
    for (const [type, entries] of Object.entries(data)) {
      for (const [id, value] of Object.entries(entries ?? {})) {
        const text = value === null || value === undefined ? null : JSON.stringify(value, BufferJSON.replacer);
        this.#waiting.set(`${type}|${id}`, { type, id, value: text });
      }
    }
  }

  /** Call it inside a transaction, and call `stored` once the transaction has succeeded. */
  write(): void {
    const put = statement(this.#db, "INSERT OR REPLACE INTO signal_key (pn, type, id, value) VALUES (?, ?, ?, ?)");
    const drop = statement(this.#db, "DELETE FROM signal_key WHERE pn = ? AND type = ? AND id = ?");
    for (const { type, id, value } of this.#waiting.values()) {
      if (value === null) drop.run(this.#pn, type, id);
      else put.run(this.#pn, type, id, value);
    }
  }

  stored(): void {
    for (const [key, { value }] of this.#waiting) this.#remember(key, value);
    this.#waiting.clear();
  }

  /** Drops pending keys after a failed step. */
  discard(): void {
    this.#waiting.clear();
  }

  #read(type: string, id: string): string | null {
    const key = `${type}|${id}`;
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting.value;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const row = statement(this.#db, "SELECT value FROM signal_key WHERE pn = ? AND type = ? AND id = ?").get(this.#pn, type, id);
    return this.#remember(key, row ? String(row["value"]) : null);
  }

  #remember(key: string, value: string | null): string | null {
    this.#known.delete(key);
    this.#known.set(key, value);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? key);
    return value;
  }
}
