// Tests the hooks into Baileys before any socket opens, because another version may have removed one.
import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  processHistoryMessage,
  processSyncAction,
  proto,
  WA_CERT_DETAILS,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
} from "baileys";
import { SessionCipher, SessionRecord } from "libsignal";
import { saltInHistory, saltInLocale } from "../durability/salt-fields.ts";
import { type Check, failing, isWritable, missingOfSocket } from "./self-check-socket.ts";
import { endOfDeletion, libraryLog, silentLog } from "./library-log.ts";

const REPOSITORY_METHODS = [
  "decryptMessage",
  "decryptGroupMessage",
  "encryptMessage",
  "encryptGroupMessage",
  "processSenderKeyDistributionMessage",
  "injectE2ESession",
  "migrateSession",
] as const;
const LID_METHODS = ["storeLIDPNMappings", "getLIDForPN", "getLIDsForPNs"] as const;

const EXPORTS: readonly Check<void>[] = [
  {
    hook: "WA_CERT_DETAILS.PUBLIC_KEY (exported, writable)",
    holds: () => Buffer.isBuffer(WA_CERT_DETAILS.PUBLIC_KEY) && isWritable(WA_CERT_DETAILS, "PUBLIC_KEY"),
  },
  { hook: "Curve.verify (strict)", holds: rejectsForgedSignature },
  { hook: "SessionCipher.decryptWithSessions (libsignal)", holds: triesSessionsByHook },
  { hook: "SessionEntry.serialize and deserialize (libsignal)", holds: copiesSessions },
  { hook: "makeSignalRepository (configuration)", holds: () => typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository === "function" },
  ...REPOSITORY_METHODS.map((name): Check<void> => ({
    hook: `signalRepository.${name}`,
    holds: () => typeof Reflect.get(newRepository(), name) === "function" && isWritable(newRepository(), name),
  })),
  ...LID_METHODS.map((name): Check<void> => ({
    hook: `lidMapping.${name}`,
    holds: () => typeof newRepository().lidMapping[name] === "function",
  })),
  { hook: "unknown action emitted as a locale", holds: passesActionSalt },
  { hook: "past participants of a history passed on", holds: passesHistorySalt },
  { hook: "change of the app state announced to the logger", holds: announcesDeletions },
  { hook: "nested key transactions", holds: nestedTransactionsCommitOnce },
  { hook: "order of keys.transaction", holds: transactionsKeepTheirOrder },
  { hook: "keys.transaction of two locks at once", holds: locksAreApart },
];

export async function missingHooks(): Promise<string[]> {
  // If no socket can be created, none of its hooks can be checked, so this reports the constructor instead.
  return [...(await failing(EXPORTS, undefined)), ...(await missingOfSocket().catch(() => ["makeWASocket"]))];
}

const SALT = Buffer.from("self-check");
const SALT_ACTION = Buffer.concat([Buffer.of(0x82, 0x05, SALT.length + 2, 0x0a, SALT.length), SALT]);
const SALT_HISTORY = Buffer.concat([Buffer.of(0x9a, 0x01, SALT.length), SALT]);

function passesActionSalt(): boolean {
  const value = proto.SyncActionValue.decode(SALT_ACTION);
  let emitted: unknown;
  const ev = { emit: (_event: string, update: { value?: unknown }) => (emitted = update.value) } as never;
  processSyncAction({ syncAction: { value }, index: ["nct_salt_sync"] }, ev, { id: "" });
  return saltInLocale(emitted)?.equals(SALT) === true;
}

function announcesDeletions(): boolean {
  let end: unknown;
  const ev = { emit: (_event: string, [jid]: string[]) => (end = endOfDeletion(jid ?? "")) } as never;
  const value = { deleteChatAction: { messageRange: { lastMessageTimestamp: 1 } } };
  processSyncAction({ syncAction: { value }, index: ["deleteChat", "4@s.whatsapp.net"] }, ev, { id: "" }, undefined, libraryLog);
  return end === 1;
}

function passesHistorySalt(): boolean {
  return saltInHistory(processHistoryMessage(proto.HistorySync.decode(SALT_HISTORY)))?.equals(SALT) === true;
}

function rejectsForgedSignature(): boolean {
  const pair = Curve.generateKeyPair();
  const message = Buffer.from("self-check");
  const signature = Curve.sign(pair.private, message);
  return (
    isWritable(Curve, "verify") && Curve.verify(pair.public, message, signature) && !Curve.verify(pair.public, message, Buffer.alloc(64, 1))
  );
}

type CipherInside = {
  getRecord: () => Promise<unknown>;
  queueJob: (work: () => unknown) => unknown;
  decryptWithSessions: (data: Uint8Array, sessions: unknown) => never;
  decryptWhisperMessage: (data: Uint8Array) => Promise<unknown>;
};

/** Decrypting a message must pass the record's sessions to our hook. */
async function triesSessionsByHook(): Promise<boolean> {
  if (!Reflect.has(SessionCipher.prototype, "decryptWithSessions")) return false;
  const cipher = Object.create(SessionCipher.prototype) as CipherInside;
  const sessions = ["one", "two"];
  let tried: unknown;
  cipher.getRecord = async () => ({ getSessions: () => sessions });
  cipher.queueJob = (work) => work();
  cipher.decryptWithSessions = (_data, given) => {
    tried = given;
    throw new Error("tried");
  };
  await cipher.decryptWhisperMessage(Buffer.alloc(1)).catch(() => undefined);
  return tried === sessions;
}

function copiesSessions(): boolean {
  const entry = (SessionRecord as unknown as { createEntry(): object }).createEntry();
  return typeof Reflect.get(entry, "serialize") === "function" && typeof Reflect.get(entry.constructor, "deserialize") === "function";
}

const newRepository = () =>
  DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: initAuthCreds(), keys: recordedKeys().keys }, silentLog);

function recordedKeys(): { keys: SignalKeyStoreWithTransaction; commits: SignalDataSet[] } {
  const commits: SignalDataSet[] = [];
  const store = { get: () => ({}), set: (data: SignalDataSet) => void commits.push(data) };
  return { keys: addTransactionCapability(store, silentLog, { maxCommitRetries: 1, delayBetweenTriesMs: 0 }), commits };
}

async function nestedTransactionsCommitOnce(): Promise<boolean> {
  const { keys, commits } = recordedKeys();
  await keys.transaction(async () => {
    await keys.set({ "lid-mapping": { a: "1" } });
    await keys.transaction(() => keys.set({ "lid-mapping": { b: "2" } }) as Promise<void>, "inner");
  }, "outer");
  return commits.length === 1 && commits[0]?.["lid-mapping"]?.a === "1" && commits[0]["lid-mapping"].b === "2";
}

/** Transactions under one lock run in order, each after the previous commit. A failed transaction commits nothing. */
async function transactionsKeepTheirOrder(): Promise<boolean> {
  const { keys, commits } = recordedKeys();
  const steps: string[] = [];
  const run = (name: string, fails = false) =>
    keys.transaction(async () => {
      steps.push(`${name} began after ${commits.length}`);
      await keys.set({ "lid-mapping": { [name]: name } });
      await new Promise((resolve) => setImmediate(resolve));
      if (fails || !keys.isInTransaction()) throw new Error("fails");
    }, "one");
  await Promise.allSettled([run("a"), run("b", true), run("c")]);
  const expected = ["a began after 0", "b began after 1", "c began after 1"];
  return !keys.isInTransaction() && commits.length === 2 && steps.join() === expected.join();
}

/** Device lists must have their own lock, because a send would deadlock under a shared one. */
async function locksAreApart(): Promise<boolean> {
  const { keys } = recordedKeys();
  const { promise: other, resolve } = Promise.withResolvers<boolean>();
  const outer = keys.transaction(() => Promise.race([other, new Promise<boolean>((end) => setTimeout(() => end(false), 500))]), "one");
  await keys.transaction(async () => resolve(true), "two");
  return outer;
}
