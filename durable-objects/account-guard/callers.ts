// Caches the D1 rows of the account's keys, user and own connections. A change clears the cache before it responds.
import { LRUCache } from "lru-cache";
import type { CalledConnection, CallingKey, CallingUser, Identified } from "../../src/services/callers/identify.ts";
import { failureOfException } from "../../src/services/object-stubs.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** How long a revoked or expired key may keep working if the guard was not notified. */
const CALLER_MS = MINUTE_MS;
/** May be long, because the object of a removed connection refuses calls anyway. */
const OWN_MS = HOUR_MS;
/** Maximum age of rows used while D1 is unavailable, when nobody can revoke a key. Covers outages that customers should not notice. */
const AWAY_MS = 6 * HOUR_MS;
const KEYS = 1_000;
const CONNECTIONS = 10_000;

type Read<T> = T & { readAt: number };

export class Callers {
  readonly #read: (hash: string, instance: string | null) => Promise<Identified | null>;
  readonly #callers = new LRUCache<string, Read<{ user: CallingUser; key: CallingKey }>>({ max: KEYS });
  readonly #own = new LRUCache<string, Read<{ connection: CalledConnection }>>({ max: CONNECTIONS });
  #changes = 0;

  constructor(read: (hash: string, instance: string | null) => Promise<Identified | null>) {
    this.#read = read;
  }

  forget(): void {
    this.#changes += 1;
    this.#callers.clear();
    this.#own.clear();
  }

  /** The holder of this key hash; null, and not cached, if there is none. `instance`: UUID of the call's instance. */
  async identify(hash: string, instance: string | null): Promise<Identified | null> {
    const now = Date.now();
    const known = this.#known(hash, instance, now, { callerMs: CALLER_MS, ownMs: OWN_MS });
    if (known !== null) return known;
    const changes = this.#changes;
    let found: Identified | null;
    try {
      found = await this.#read(hash, instance);
    } catch (error) {
      const older =
        failureOfException(error) === "unavailable" ? this.#known(hash, instance, now, { callerMs: AWAY_MS, ownMs: AWAY_MS }) : null;
      if (older === null || changes !== this.#changes) throw error;
      return older;
    }
    // The row may have been read before the change, so it is read again.
    if (changes !== this.#changes) return this.identify(hash, instance);
    if (found === null || found.key === null) {
      this.#callers.delete(hash);
      return null;
    }
    const { user, key, access } = found;
    // The cached last-use times are updated, so that only the call that read the rows writes them to D1.
    this.#callers.set(hash, { user: { ...user, lastSeenAt: now }, key: { ...key, lastUsedAt: now }, readAt: now });
    if (access?.role === "owner") this.#own.set(access.connection.uuid, { connection: access.connection, readAt: now });
    return found;
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
