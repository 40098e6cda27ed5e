// Hardens Baileys' Signal repository: ratchets share one lock, messages are decrypted once, and ratchets are stored before bytes are sent.
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  DEFAULT_CONNECTION_CONFIG,
  MISSING_KEYS_ERROR_TEXT,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
} from "baileys";
import { rowType } from "#bridge/store/row-types.ts";
import type { WriteBehindCache, Write } from "#bridge/store/write-behind-cache.ts";
import { dropOldChains } from "./trial-decryption.ts";
import type { PlaintextCache } from "./sent-messages.ts";
import { letWorkOutliveTransactions } from "./outliving-work.ts";
import { withOuterContext } from "./device-sent.ts";

const STEPS_PER_YIELD = 16;
/** Groups, broadcast lists and status posts. Senders choose this id, and the row's name contains it, so other ids are ignored. */
const SENDER_KEY_CHAT = /^[\w-]{1,64}@(?:g\.us|broadcast)$/;

type MakeSignal = SocketConfig["makeSignalRepository"];
type Repository = ReturnType<MakeSignal>;

export function durableSignal(store: WriteBehindCache, plaintexts: PlaintextCache): MakeSignal {
  return (auth, logger, lookUpLid) => {
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

/** Under Baileys' separate locks, concurrent changes lose ratchet steps (docs/internals/durability.md, "How messages get lost": C1). */
function lockAll(repository: Repository, locked: <T>(work: () => Promise<T>) => Promise<T>): void {
  // `deleteSession` stays unlocked, because it runs under the device-list lock, which a send acquires while holding this one.
  const processSenderKey = repository.processSenderKeyDistributionMessage.bind(repository);
  const inject = repository.injectE2ESession.bind(repository);
  const migrate = repository.migrateSession.bind(repository);
  repository.processSenderKeyDistributionMessage = async (input) => {
    if (SENDER_KEY_CHAT.test(input.item.groupId ?? "")) await locked(() => processSenderKey(input));
  };
  repository.injectE2ESession = yieldingOften((input) => locked(() => inject(input)));
  repository.migrateSession = (from, to) => locked(() => migrate(from, to));
}

/** Yields to the event loop regularly, because a large group needs thousands of these steps. */
function yieldingOften<I, O>(work: (input: I) => Promise<O>): (input: I) => Promise<O> {
  let count = 0;
  return async (input) => {
    const output = await work(input);
    count += 1;
    if (count % STEPS_PER_YIELD === 0) await nextTurn();
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
          // Writes the plaintext in the ratchet's transaction, so that either both are committed or neither is.
          await keys.set({ plain: { [id]: plaintext } } as SignalDataSet);
          plaintexts.add(id, plaintext);
          return plaintext;
        }),
      );
    } catch (error) {
      const stored = await plaintexts.fetchStored(id);
      if (stored !== undefined) return stored;
      throw asUndecryptable(error);
    }
  };

  repository.decryptMessage = (input) => once(input.ciphertext, () => decryptMessage(input));
  repository.decryptGroupMessage = (input) => once(input.msg, () => decryptGroupMessage(input));
}

/** Makes the library request the message again instead of dropping it as a duplicate. The plaintext cache catches real duplicates. */
function asUndecryptable(error: unknown): unknown {
  const isUsed = error instanceof Error && error.message === MISSING_KEYS_ERROR_TEXT;
  return isUsed ? new Error("another message had this counter", { cause: error }) : error;
}

function encryptInContext(repository: Repository, locked: <T>(work: () => Promise<T>) => Promise<T>, ciphers: CipherContext): void {
  const encrypt = repository.encryptMessage.bind(repository);
  const encryptGroup = repository.encryptGroupMessage.bind(repository);
  repository.encryptMessage = yieldingOften((input) => locked(() => ciphers.encrypting(() => encrypt(input))));
  repository.encryptGroupMessage = (input) => locked(() => ciphers.encrypting(() => encryptGroup(input)));
}

// Restores the async context of libsignal's jobs. libsignal has one queue per peer for all of the process's sessions, so a job could run
// in another session's context and not see its own transaction.
class CipherContext {
  readonly #keys: SignalKeyStoreWithTransaction;
  #running = 0;
  #decrypts = 0;
  #enter: (<T>(work: () => T) => T) | null = null;

  constructor(keys: SignalKeyStoreWithTransaction) {
    this.#keys = keys;
  }

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

  /** Called under the single lock, so overlapping calls belong to the same transaction. */
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

/** Baileys' own code also calls these two functions, so all key reads and writes pass through this hook. */
function hookKeys(keys: SignalKeyStoreWithTransaction, ciphers: CipherContext, store: WriteBehindCache): void {
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  keys.get = (type, ids) => (rowType(type).isCipherState ? ciphers.inContext(() => get(type, ids)) : get(type, ids));
  keys.set = (data) => {
    for (const record of Object.values(data.session ?? {})) dropOldChains(record);
    // Written before the send, because Baileys commits only after it (docs/internals/durability.md, "How messages get lost": C2).
    if (!ciphers.isDecrypting && keys.isInTransaction()) store.put(writesAhead(data));
    return Object.keys(data).every((type) => rowType(type).isCipherState) ? ciphers.inContext(() => set(data)) : set(data);
  };
}

function writesAhead(data: SignalDataSet): Write[] {
  const writes: Write[] = [];
  for (const [type, values] of Object.entries(data)) {
    if (!rowType(type).isWrittenAhead) continue;
    for (const [id, value] of Object.entries(values ?? {})) if (value !== null) writes.push([`${type}|${id}`, value]);
  }
  return writes;
}
