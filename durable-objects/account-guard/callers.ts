// Caches the D1 rows of the account's keys, user and own connections. A change clears the cache before its caller gets a response.
// Rows are also stored, because a D1 outage may last for hours, while the platform evicts the object within seconds.
import { LruMap } from "@gateway/domain/lru-map.ts";
import type { CalledConnection, CallingKey, CallingUser, Identified } from "#root/src/services/callers/identify.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../shared/migrate.ts";

/** How long a revoked or expired key may keep working if the guard was not notified. */
const CALLER_MS = MINUTE_MS;
/** Can be long, because a removed connection's object rejects calls even if this cache still lists the connection. */
const OWN_MS = HOUR_MS;
/** Maximum age of rows used while D1 is unavailable: long enough to hide an outage, during which nobody can revoke a key. */
const AWAY_MS = 6 * HOUR_MS;
/** Age at which a stored row is written again. The age is high, because every write is billed. */
const STORED_MS = HOUR_MS;
const KEYS = 1_000;
const CONNECTIONS = 10_000;

type Read<T> = T & { readAt: number };
/** Omits last-use times, because they change with each call. */
type StoredCaller = { user: Omit<CallingUser, "lastSeenAt">; key: Omit<CallingKey, "lastUsedAt"> };
type StoredRow = Read<{ value: unknown }>;
type StoredRows = {
  get(name: string): StoredRow | undefined;
  set(name: string, row: StoredRow): unknown;
  delete(name: string): unknown;
  clear(): void;
};

export const CALLER_MIGRATIONS: Migrations = [
  "CREATE TABLE caller (name TEXT PRIMARY KEY, value TEXT NOT NULL, read_at INTEGER NOT NULL) WITHOUT ROWID",
];

const keyRow = (hash: string): string => `key:${hash}`;
const ownRow = (uuid: string): string => `own:${uuid}`;

export class Callers {
  readonly #read: (hash: string, instance: string | null) => Promise<Identified | null>;
  readonly #stored: StoredRows;
  readonly #callers = new LruMap<Read<{ user: CallingUser; key: CallingKey }>>(KEYS);
  readonly #own = new LruMap<Read<{ connection: CalledConnection }>>(CONNECTIONS);
  #changes = 0;

  constructor(read: (hash: string, instance: string | null) => Promise<Identified | null>, stored: StoredRows) {
    this.#read = read;
    this.#stored = stored;
  }

  forget(): void {
    this.#changes += 1;
    this.#callers.clear();
    this.#own.clear();
    this.#stored.clear();
  }

  /** Returns the key with this hash, or null (not cached) if there is none. `instance` is the UUID of the connection being called. */
  async identify(hash: string, instance: string | null): Promise<Identified | null> {
    const now = Date.now();
    const known = this.#known(hash, instance, now, { callerMs: CALLER_MS, ownMs: OWN_MS });
    if (known !== null) return known;
    const changes = this.#changes;
    let found: Identified | null;
    try {
      found = await this.#read(hash, instance);
    } catch (error) {
      const older = failureOfException(error) === "unavailable" ? this.#knownBefore(hash, instance, now) : null;
      if (older === null || changes !== this.#changes) throw error;
      return older;
    }
    // A change arrived during the read, so the rows may be outdated and are read again.
    if (changes !== this.#changes) return this.identify(hash, instance);
    if (found === null || found.key === null) {
      this.#callers.delete(hash);
      this.#stored.delete(keyRow(hash));
      return null;
    }
    const { user, key, access } = found;
    // Updates the cached last-use times, so that only the call that read the rows writes them to D1.
    this.#callers.set(hash, { user: { ...user, lastSeenAt: now }, key: { ...key, lastUsedAt: now }, readAt: now });
    this.#store(keyRow(hash), storedCaller(user, key), now);
    if (access?.role === "owner") {
      this.#own.set(access.connection.uuid, { connection: access.connection, readAt: now });
      this.#store(ownRow(access.connection.uuid), access.connection, now);
    }
    return found;
  }

  #store(name: string, value: unknown, now: number): void {
    const stored = this.#stored.get(name);
    const isSame = recent(stored, STORED_MS, now) !== null && JSON.stringify(stored?.value) === JSON.stringify(value);
    if (!isSame) this.#stored.set(name, { value, readAt: now });
  }

  /** Returns this key's rows if they are recent enough to use in an outage. An earlier instance of the object may have read them. */
  #knownBefore(hash: string, instance: string | null, now: number): Identified | null {
    const caller = this.#callers.has(hash) ? undefined : this.#stored.get(keyRow(hash));
    if (caller !== undefined) {
      const { user, key } = caller.value as StoredCaller;
      this.#callers.set(hash, { user: { ...user, lastSeenAt: now }, key: { ...key, lastUsedAt: now }, readAt: caller.readAt });
    }
    const own = instance === null || this.#own.has(instance) ? undefined : this.#stored.get(ownRow(instance));
    if (instance !== null && own !== undefined) this.#own.set(instance, { connection: own.value as CalledConnection, readAt: own.readAt });
    return this.#known(hash, instance, now, { callerMs: AWAY_MS, ownMs: AWAY_MS });
  }

  #known(hash: string, instance: string | null, now: number, { callerMs, ownMs }: { callerMs: number; ownMs: number }): Identified | null {
    const caller = recent(this.#callers.get(hash), callerMs, now);
    const own = instance === null ? null : recent(this.#own.get(instance), ownMs, now);
    if (caller === null || (instance !== null && own === null)) return null;
    const { user, key } = caller;
    return { user, key, access: own === null ? null : { connection: own.connection, role: "owner" } };
  }
}

/** Returns null when there is no recent value, or when the clock was set back. */
function recent<T extends { readAt: number }>(read: T | undefined, lifeMs: number, now: number): T | null {
  return read !== undefined && now >= read.readAt && now < read.readAt + lifeMs ? read : null;
}

function storedCaller({ lastSeenAt: _seen, ...user }: CallingUser, { lastUsedAt: _used, ...key }: CallingKey): StoredCaller {
  return { user, key };
}

export class CallerRows implements StoredRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(name: string): StoredRow | undefined {
    const rows = this.#sql.exec<{ value: string; read_at: number }>("SELECT value, read_at FROM caller WHERE name = ?", name).toArray();
    return rows.map(({ value, read_at: readAt }) => ({ value: JSON.parse(value) as unknown, readAt }))[0];
  }

  set(name: string, { value, readAt }: StoredRow): void {
    this.#sql.exec("INSERT OR REPLACE INTO caller (name, value, read_at) VALUES (?, ?, ?)", name, JSON.stringify(value), readAt);
  }

  delete(name: string): void {
    this.#sql.exec("DELETE FROM caller WHERE name = ?", name);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM caller");
  }
}
