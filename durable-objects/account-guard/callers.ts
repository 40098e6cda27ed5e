// What D1 says of the account's keys, of its user and of which connections are its own, in memory: a call with a key then asks D1 nothing.
// Whatever ends or changes one of these in D1 has the guard forget all of it before it answers (docs/operate/security.md, "Keys and tokens"). Access
// to a connection of somebody else is not remembered: that changes with the owner.
import { LRUCache } from "lru-cache";
import type { CalledConnection, CallingKey, CallingUser, Identified } from "../../src/services/callers/identify.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** How long a key works at most that has ended without the guard hearing of it. */
const CALLER_MS = MINUTE_MS;
/** The object of a connection that was removed refuses by itself. */
const OWN_MS = HOUR_MS;
const KEYS = 1_000;
const CONNECTIONS = 10_000;

type Read<T> = T & { readAt: number };

export class Callers {
  readonly #read: (hash: string, instance: string | null) => Promise<Identified | null>;
  /** By the hash of the key. */
  readonly #callers = new LRUCache<string, Read<{ user: CallingUser; key: CallingKey }>>({ max: KEYS });
  readonly #own = new LRUCache<string, Read<{ connection: CalledConnection }>>({ max: CONNECTIONS });
  /** How often it was told to forget. */
  #changes = 0;

  /** `read`: what D1 says now. */
  constructor(read: (hash: string, instance: string | null) => Promise<Identified | null>) {
    this.#read = read;
  }

  forget(): void {
    this.#changes += 1;
    this.#callers.clear();
    this.#own.clear();
  }

  /** The holder of the key with this hash, or null, which is never remembered. `instance`: the UUID of the instance of the call. */
  async identify(hash: string, instance: string | null): Promise<Identified | null> {
    const now = Date.now();
    const caller = recent(this.#callers.get(hash), CALLER_MS, now);
    const own = instance === null ? null : recent(this.#own.get(instance), OWN_MS, now);
    if (caller !== null && (instance === null || own !== null)) {
      const { user, key } = caller;
      return { user, key, access: own === null ? null : { connection: own.connection, role: "owner" } };
    }
    const changes = this.#changes;
    const found = await this.#read(hash, instance);
    // It may have been read before the change.
    if (changes !== this.#changes) return this.identify(hash, instance);
    if (found === null || found.key === null) {
      this.#callers.delete(hash);
      return null;
    }
    const { user, key, access } = found;
    // The call that read them records its time in D1, and not each one after it.
    this.#callers.set(hash, { user: { ...user, lastSeenAt: now }, key: { ...key, lastUsedAt: now }, readAt: now });
    if (access?.role === "owner") this.#own.set(access.connection.uuid, { connection: access.connection, readAt: now });
    return found;
  }
}

/** Null also when the clock was set back. */
function recent<T extends { readAt: number }>(read: T | undefined, lifeMs: number, now: number): T | null {
  return read !== undefined && now >= read.readAt && now < read.readAt + lifeMs ? read : null;
}
