// Tests the hooks into Baileys that the bridge depends on, before any socket opens: another version may have silently dropped one.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  addTransactionCapability,
  Curve,
  decodeBinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  makeWASocket,
  processHistoryMessage,
  processSyncAction,
  proto,
  WA_CERT_DETAILS,
  type BinaryNode,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type WASocket,
} from "baileys";
import { SessionCipher, SessionRecord } from "libsignal";
import { WebSocketServer, type WebSocket } from "ws";
import { saltInHistory, saltInLocale } from "../durability/salt-fields.ts";
import { endOfDeletion, libraryLog, silentLog } from "./library-log.ts";

type Check<T> = { hook: string; holds: (subject: T) => unknown };

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
const STANZA_NAMES = [
  "message",
  "receipt",
  "notification",
  "call",
  "presence",
  "chatstate",
  "success",
  "ack,class:message",
  "ib,,offline_preview",
  "ib,,offline",
] as const;

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
  { hook: "unknown action told as a locale", holds: passesActionSalt },
  { hook: "past participants of a history passed on", holds: passesHistorySalt },
  { hook: "change of the app state announced to the logger", holds: announcesDeletions },
  { hook: "nested key transactions", holds: nestedTransactionsCommitOnce },
  { hook: "order of keys.transaction", holds: transactionsKeepTheirOrder },
  { hook: "keys.transaction of two locks at once", holds: locksAreApart },
];

type Frame = { bytes: Uint8Array; node: BinaryNode | null };
type Probe = {
  sock: WASocket;
  raw: WebSocket;
  repository: object;
  keysOfRepository: unknown;
  stanzaEvents: Set<string>;
  events: Set<string>;
  written: Frame[];
  devicesRead: () => boolean;
  serve: (frame: Uint8Array) => void;
};

const SOCKET: readonly Check<Probe>[] = [
  { hook: "sock.ws.socket.send", holds: ({ written }) => eventually(() => written.length > 0) },
  {
    hook: "makeSignalRepository and sock.signalRepository",
    holds: ({ sock, repository }) => (sock.signalRepository as object) === repository,
  },
  { hook: "sock.authState.keys", holds: ({ sock, keysOfRepository }) => (sock.authState.keys as unknown) === keysOfRepository },
  ...STANZA_NAMES.map((name): Check<Probe> => ({
    hook: `CB:${name} (listened to)`,
    holds: ({ sock: { ws } }) => ws.listenerCount(`CB:${name}`) > 0,
  })),
  { hook: "sock.ev.emit", holds: ({ events }) => eventually(() => events.has("connection.update")) },
  { hook: "ack announced to the logger, and written plain", holds: acksPlainly },
  { hook: "app-state versions read in a key transaction", holds: readsVersionsInTransaction },
  { hook: "sock.resyncAppState", holds: ({ sock }) => typeof sock.resyncAppState === "function" && isWritable(sock, "resyncAppState") },
  {
    hook: "userDevicesCache (configuration)",
    holds: async ({ sock, devicesRead }) => (await sock.getUSyncDevices(["2@s.whatsapp.net"], true, false), devicesRead()),
  },
  {
    hook: "sock.ws unexpected-response",
    holds: ({ raw, stanzaEvents }) => (raw.emit("unexpected-response", {}, { statusCode: 503 }), stanzaEvents.has("unexpected-response")),
  },
  // Must be last: this frame is no valid answer to the hello, so the library gives the socket up.
  {
    hook: "sock.ws.emit frame",
    holds: async ({ serve, stanzaEvents }) => {
      serve(Uint8Array.of(0, 0, 1, 0));
      return eventually(() => stanzaEvents.has("frame"));
    },
  },
];

export async function missingHooks(): Promise<string[]> {
  // If no socket can be created, they all are.
  return [...(await failing(EXPORTS, undefined)), ...(await missingOfSocket().catch(() => ["makeWASocket"]))];
}

async function failing<T>(checks: readonly Check<T>[], subject: T): Promise<string[]> {
  const missing: string[] = [];
  for (const { hook, holds } of checks) {
    const works = await Promise.resolve(subject)
      .then(holds)
      .catch(() => false);
    if (works !== true) missing.push(hook);
  }
  return missing;
}

const SALT = Buffer.from("self-check");
const SALT_ACTION = Buffer.concat([Buffer.of(0x82, 0x05, SALT.length + 2, 0x0a, SALT.length), SALT]);
const SALT_HISTORY = Buffer.concat([Buffer.of(0x9a, 0x01, SALT.length), SALT]);

function passesActionSalt(): boolean {
  const value = proto.SyncActionValue.decode(SALT_ACTION);
  let told: unknown;
  const ev = { emit: (_event: string, update: { value?: unknown }) => (told = update.value) } as never;
  processSyncAction({ syncAction: { value }, index: ["nct_salt_sync"] }, ev, { id: "" });
  return saltInLocale(told)?.equals(SALT) === true;
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

function isWritable(object: object, key: string): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.writable === true;
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

/** A decryption must call the hook with the record's sessions. */
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

/** Transactions under one lock run in order, each after the previous commit; a failed one commits nothing. */
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

/** Device lists must have their own lock: under a shared one, a send would deadlock. */
async function locksAreApart(): Promise<boolean> {
  const { keys } = recordedKeys();
  const { promise: other, resolve } = Promise.withResolvers<boolean>();
  const outer = keys.transaction(() => Promise.race([other, new Promise<boolean>((end) => setTimeout(() => end(false), 500))]), "one");
  await keys.transaction(async () => resolve(true), "two");
  return outer;
}

/** Connects to a loopback server of our own: what the socket writes must pass our hooks. */
async function missingOfSocket(): Promise<string[]> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let repository: object = {};
  let keysOfRepository: unknown;
  let devicesRead = false;
  const creds = { ...initAuthCreds(), me: { id: "1:1@s.whatsapp.net" } };
  const sock = makeWASocket({
    waWebSocketUrl: `ws://127.0.0.1:${port}`,
    logger: libraryLog,
    auth: { creds, keys: { get: () => ({}), set: () => undefined } },
    defaultQueryTimeoutMs: 1_000,
    shouldIgnoreJid: () => true,
    userDevicesCache: {
      get: () => ((devicesRead = true), [{ user: "2", device: 0, server: "s.whatsapp.net" }] as never),
      set: () => undefined,
      del: () => undefined,
      flushAll: () => undefined,
    },
    makeSignalRepository: (auth, ...rest) => {
      keysOfRepository = auth.keys;
      const made = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, ...rest);
      repository = made;
      return made;
    },
  });
  const raw = rawSocket(sock);
  try {
    if (raw === null) return ["sock.ws.socket"];
    const probe: Probe = {
      sock,
      raw,
      repository,
      keysOfRepository,
      stanzaEvents: emittedBy(sock.ws),
      events: emittedBy(sock.ev),
      written: written(raw),
      devicesRead: () => devicesRead,
      serve: (frame) => sockets.clients.forEach((client) => client.send(frame)),
    };
    return await failing(SOCKET, probe);
  } finally {
    raw?.terminate();
    await sock.end(undefined);
    sockets.close();
    server.closeAllConnections();
    server.close();
  }
}

function emittedBy(emitter: { emit(event: never, ...rest: never[]): boolean }): Set<string> {
  const names = new Set<string>();
  const emit = emitter.emit.bind(emitter) as (event: unknown, ...rest: unknown[]) => boolean;
  Reflect.set(emitter, "emit", (event: unknown, ...rest: unknown[]) => {
    names.add(String(event));
    return emit(event, ...rest);
  });
  return names;
}

/** Replaces the socket's `send`, so nothing leaves. Frames are unencrypted before the handshake, so stanzas can be read. */
function written(raw: WebSocket): Frame[] {
  const frames: Frame[] = [];
  raw.send = ((bytes: Uint8Array, ...rest: unknown[]) => {
    const frame: Frame = { bytes, node: null };
    frames.push(frame);
    Promise.resolve(Buffer.from(bytes.subarray(LENGTH_BYTES)))
      .then(decodeBinaryNode)
      .then(
        (node) => (frame.node = node),
        () => undefined,
      );
    const callback = rest.at(-1);
    if (typeof callback === "function") queueMicrotask(() => (callback as () => void)());
  }) as WebSocket["send"];
  return frames;
}

const LENGTH_BYTES = 3;

/** The listener's promise resolves after the ack. For an ignored sender the library would add an error. */
async function acksPlainly({ sock, written: frames }: Probe): Promise<boolean> {
  const stanza: BinaryNode = { tag: "message", attrs: { id: "SELFCHECK", from: "3@s.whatsapp.net", t: "1" } };
  await Promise.all(sock.ws.listeners("CB:message").map((listener) => (listener as (node: BinaryNode) => unknown)(stanza)));
  const count = frames.length;
  const acked = await eventually(() => frames.slice(0, count).some(({ node }) => node?.tag === "ack" && node.attrs["id"] === "SELFCHECK"));
  return acked && frames.every(({ node }) => node?.attrs["error"] === undefined);
}

async function readsVersionsInTransaction({ sock, written: frames }: Probe): Promise<boolean> {
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  const get = keys.get.bind(keys);
  const transaction = keys.transaction.bind(keys);
  let inside = 0;
  let read = false;
  keys.transaction = async (work, key) => {
    inside += 1;
    return transaction(work, key).finally(() => (inside -= 1));
  };
  keys.get = (type, ids) => {
    read ||= type === "app-state-sync-version" && inside > 0;
    return get(type, ids);
  };
  sock.resyncAppState(["regular_low"], false).catch(() => undefined);
  const asked = await eventually(() => frames.some(({ node }) => node?.attrs["xmlns"] === "w:sync:app:state"));
  return asked && read;
}

async function eventually(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 5_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) if (holds()) return true;
  return false;
}

/** The WebSocket inside Baileys' wrapper, missing from its types. */
export function rawSocket(sock: { ws: unknown }): WebSocket | null {
  const { socket } = sock.ws as { socket?: unknown };
  const looksRight =
    typeof socket === "object" && socket !== null && "send" in socket && typeof socket.send === "function" && "readyState" in socket;
  return looksRight ? (socket as unknown as WebSocket) : null;
}
