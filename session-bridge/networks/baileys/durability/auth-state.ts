import { initAuthCreds, type AuthenticationCreds, type AuthenticationState, type SignalDataSet, type SignalDataTypeMap } from "baileys";
import { boundedCache } from "../session/per-session.ts";
import type { WriteBehindCache, Write } from "#bridge/store/write-behind-cache.ts";

const CREDS_ROW = "creds|me";
/** Groups for which the bridge remembers the members that have our sender key. Members of other groups receive the key again. */
const SENDER_KEY_CACHE_SIZE = 1_000;

/** `plain` holds our plaintexts of decrypted messages. The other types are Baileys' own. */
type KeyType = keyof SignalDataTypeMap | "plain";

export class AuthState implements AuthenticationState {
  readonly keys: AuthenticationState["keys"];
  creds: AuthenticationCreds;
  readonly #store: WriteBehindCache;
  /** App-state versions that must be committed together with their events, because otherwise a crash would skip the changes. */
  readonly #deferred = new Map<string, unknown>();
  /** Kept only in memory, because a member has our sender key only once the message that contains the key has been sent. */
  readonly #senderKeyMemory = boundedCache<string, NonNullable<unknown>>(SENDER_KEY_CACHE_SIZE);
  /** When each group's key holders were forgotten last, as a mark. `#readAfter` has the mark that each list was read after. */
  readonly #forgotten = boundedCache<string, object>(SENDER_KEY_CACHE_SIZE);
  readonly #readAfter = new WeakMap<object, object>();

  constructor(store: WriteBehindCache) {
    this.#store = store;
    this.creds = readCreds(store);
    this.keys = {
      get: (type, ids) => this.#get(type, ids) as { [id: string]: SignalDataTypeMap[typeof type] },
      set: (data) => this.#set(data),
    };
  }

  get paired(): boolean {
    return this.creds.account !== undefined && this.creds.account !== null;
  }

  saveCreds(): void {
    // Stores a copy, because Baileys keeps mutating this object.
    this.#store.put([[CREDS_ROW, { ...this.creds }]]);
  }

  wipe(): void {
    this.#deferred.clear();
    this.#senderKeyMemory.clear();
    this.#store.deleteAll();
    this.creds = initAuthCreds();
  }

  resetUnpaired(): void {
    if (!this.paired && this.creds.me !== undefined) this.creds = initAuthCreds();
  }

  forgetSenderKeyMemory(): void {
    this.#senderKeyMemory.clear();
  }

  /** Also drops the list that a running send writes later, if the send read it before this call. */
  forgetKeyHolders(group: string): void {
    this.#senderKeyMemory.delete(group);
    this.#forgotten.set(group, {});
  }

  #get(type: KeyType, ids: readonly string[]): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const id of ids) {
      const value = this.#read(type, id);
      if (value !== undefined && value !== null) found[id] = value;
    }
    return found;
  }

  #read(type: KeyType, id: string): unknown {
    if (type === "sender-key-memory") return this.#keyHolders(id);
    const name = `${type}|${id}`;
    return this.#deferred.has(name) ? this.#deferred.get(name) : this.#store.get(name);
  }

  /** Returns a copy, because the library changes the list before it writes it, even if it then fails and writes nothing. */
  #keyHolders(group: string): unknown {
    const [holders, mark] = [this.#senderKeyMemory.get(group), this.#forgotten.get(group)];
    if (mark === undefined) return holders === undefined ? undefined : { ...holders };
    const copy = { ...holders };
    this.#readAfter.set(copy, mark);
    return copy;
  }

  #set(data: SignalDataSet): void {
    const writes: Write[] = [];
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries(values ?? {})) {
        if (type === "sender-key-memory") this.#rememberSenderKey(id, value);
        else if (type === "app-state-sync-version") this.#defer(`${type}|${id}`, value);
        else writes.push([`${type}|${id}`, value ?? null]);
      }
    }
    this.#store.put(writes);
  }

  #defer(name: string, value: unknown): void {
    // Runs after the pending microtasks in which the library emits the changes, and before any other macrotask.
    if (this.#deferred.size === 0) queueMicrotask(() => process.nextTick(() => this.#storeDeferred()));
    this.#deferred.set(name, value);
  }

  #storeDeferred(): void {
    this.#store.put([...this.#deferred]);
    this.#deferred.clear();
  }

  #rememberSenderKey(group: string, devices: unknown): void {
    if (devices === null || devices === undefined) return this.forgetKeyHolders(group);
    if (this.#readAfter.get(devices) === this.#forgotten.get(group)) this.#senderKeyMemory.set(group, devices);
  }
}

/** A pairing code sets `me` before pairing is complete, and the network would refuse to log in with it. */
function readCreds(store: WriteBehindCache): AuthenticationCreds {
  const stored = store.get(CREDS_ROW) as AuthenticationCreds | undefined;
  if (stored === undefined) return initAuthCreds();
  return stored.me !== undefined && !stored.account ? initAuthCreds() : stored;
}
