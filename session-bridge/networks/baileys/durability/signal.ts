// Wraps Baileys' Signal repository (docs/internals/durability.md, "How messages get lost"): one lock for everything that advances a ratchet, each
// ciphertext decrypted once, and an advanced ratchet stored before the bytes encrypted with it can leave.
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  DEFAULT_CONNECTION_CONFIG,
  MISSING_KEYS_ERROR_TEXT,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
} from "baileys";
import { letWorkOutliveTransactions } from "./ended-transactions.ts";
import type { WriteBehindCache, Write } from "#root/store/write-behind-cache.ts";
import { withOuterContext } from "./outer-context.ts";
import type { PlaintextCache } from "./plaintext-cache.ts";
import { dropOldChains } from "./receiving-chains.ts";

/** About a twentieth of a second of work. */
const STEPS_PER_TURN = 16;

type MakeSignal = SocketConfig["makeSignalRepository"];
type Repository = ReturnType<MakeSignal>;

/** Must be durable before bytes that depend on it leave. Deletions can wait for the transaction's commit. */
const WRITE_AHEAD = new Set(["session", "sender-key", "pre-key"]);
/** Row types that libsignal's job queue reads and writes. */
const CIPHER_TYPES = new Set(["session", "identity-key", "sender-key", "pre-key"]);

export function durableSignal(store: WriteBehindCache, plaintexts: PlaintextCache): MakeSignal {
  return (auth, logger, lookUpLid) => {
    // Baileys passes keys with transactions; the type allows others.
    const keys = auth.keys as SignalKeyStoreWithTransaction;
    letWorkOutliveTransactions(keys);
    const ciphers = new CipherContext(keys);
    hookKeys(keys, ciphers, store);
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, lookUpLid);
    const creds = auth.creds as { me?: { id: string } };
    const locked = <T>(work: () => Promise<T>): Promise<T> => keys.transaction(work, creds.me?.id ?? "unpaired");

    lockAll(repository, locked);
    decryptOnce(repository, { locked, keys, ciphers, plaintexts });
    encryptInContext(repository, locked, ciphers);
    return repository;
  };
}

/**
 * Baileys runs sends in a transaction locked by our own JID and everything else under other locks: two at once lose a ratchet step
 * (docs/internals/durability.md, "How messages get lost": C1).
 */
function lockAll(repository: Repository, locked: <T>(work: () => Promise<T>) => Promise<T>): void {
  // Not `deleteSession`: it is called under a lock (device lists) that a send takes while it holds this one.
  const processSenderKey = repository.processSenderKeyDistributionMessage.bind(repository);
  const inject = repository.injectE2ESession.bind(repository);
  const migrate = repository.migrateSession.bind(repository);
  repository.processSenderKeyDistributionMessage = (input) => locked(() => processSenderKey(input));
  repository.injectE2ESession = inTurns((input) => locked(() => inject(input)));
  repository.migrateSession = (from, to) => locked(() => migrate(from, to));
}

/** Lets the process go on with everything else now and then: for a large group there are thousands of these. */
function inTurns<I, O>(work: (input: I) => Promise<O>): (input: I) => Promise<O> {
  let count = 0;
  return async (input) => {
    const output = await work(input);
    count += 1;
    if (count % STEPS_PER_TURN === 0) await nextTurn();
    return output;
  };
}

type Decrypting = {
  locked: <T>(work: () => Promise<T>) => Promise<T>;
  keys: SignalKeyStoreWithTransaction;
  ciphers: CipherContext;
  plaintexts: PlaintextCache;
};

function decryptOnce(repository: Repository, { locked, keys, ciphers, plaintexts }: Decrypting): void {
  const decryptMessage = repository.decryptMessage.bind(repository);
  const decryptGroupMessage = repository.decryptGroupMessage.bind(repository);

  const once = async (ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>): Promise<Buffer> => {
    const id = plaintexts.idOf(ciphertext);
    const known = plaintexts.get(id);
    if (known !== undefined) return known;
    try {
      return await locked(() =>
        ciphers.decrypting(async () => {
          const plaintext = withOuterContext(Buffer.from(await decrypt()));
          // In the same transaction as the ratchet: both are committed, or neither.
          await keys.set({ plain: { [id]: plaintext } } as SignalDataSet);
          plaintexts.add(id, plaintext);
          return plaintext;
        }),
      );
    } catch (error) {
      const stored = await plaintexts.fetchStored(id);
      if (stored !== undefined) return stored;
      throw asLost(error);
    }
  };

  repository.decryptMessage = (input) => once(input.ciphertext, () => decryptMessage(input));
  repository.decryptGroupMessage = (input) => once(input.msg, () => decryptGroupMessage(input));
}

/**
 * The library takes a used counter for a message that it has seen, and drops it without a word. One that was seen is known here: this is
 * another one, to be asked for again like any other that cannot be read.
 */
function asLost(error: unknown): unknown {
  const isUsed = error instanceof Error && error.message === MISSING_KEYS_ERROR_TEXT;
  return isUsed ? new Error("another message had this counter", { cause: error }) : error;
}

function encryptInContext(repository: Repository, locked: <T>(work: () => Promise<T>) => Promise<T>, ciphers: CipherContext): void {
  const encrypt = repository.encryptMessage.bind(repository);
  const encryptGroup = repository.encryptGroupMessage.bind(repository);
  repository.encryptMessage = inTurns((input) => locked(() => ciphers.encrypting(() => encrypt(input))));
  repository.encryptGroupMessage = (input) => locked(() => ciphers.encrypting(() => encryptGroup(input)));
}

/**
 * libsignal queues jobs per peer address for the whole process, and runs a queued job in the asynchronous context of whoever opened the
 * queue: with two customers' sessions and one contact, a job would miss its own transaction. This restores its context.
 */
class CipherContext {
  readonly #keys: SignalKeyStoreWithTransaction;
  #running = 0;
  #decrypts = 0;
  #enter: (<T>(work: () => T) => T) | null = null;

  constructor(keys: SignalKeyStoreWithTransaction) {
    this.#keys = keys;
  }

  /** A decryption is running: its writes belong to its transaction and wait for the commit. */
  get isDecrypting(): boolean {
    return this.#decrypts > 0;
  }

  async decrypting<T>(work: () => Promise<T>): Promise<T> {
    this.#decrypts += 1;
    try {
      return await this.encrypting(work);
    } finally {
      this.#decrypts -= 1;
    }
  }

  /** Runs under the one lock, so concurrent calls share one transaction. */
  async encrypting<T>(work: () => Promise<T>): Promise<T> {
    this.#enter ??= AsyncLocalStorage.snapshot();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#enter = null;
    }
  }

  inContext<T>(work: () => T): T {
    return this.#enter !== null && !this.#keys.isInTransaction() ? this.#enter(work) : work();
  }
}

/** Baileys' own code calls these two functions, so the hook sees every read and write of keys. */
function hookKeys(keys: SignalKeyStoreWithTransaction, ciphers: CipherContext, store: WriteBehindCache): void {
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  keys.get = (type, ids) => (CIPHER_TYPES.has(type) ? ciphers.inContext(() => get(type, ids)) : get(type, ids));
  keys.set = (data) => {
    for (const record of Object.values(data.session ?? {})) dropOldChains(record);
    // Baileys commits after it has written to the socket (docs/internals/durability.md, "How messages get lost": C2), and the output gate only waits for
    // what was put in the store.
    if (!ciphers.isDecrypting && keys.isInTransaction()) store.put(writesAhead(data));
    return Object.keys(data).every((type) => CIPHER_TYPES.has(type)) ? ciphers.inContext(() => set(data)) : set(data);
  };
}

function writesAhead(data: SignalDataSet): Write[] {
  const writes: Write[] = [];
  for (const [type, values] of Object.entries(data)) {
    if (!WRITE_AHEAD.has(type)) continue;
    for (const [id, value] of Object.entries(values ?? {})) if (value !== null) writes.push([`${type}|${id}`, value]);
  }
  return writes;
}
