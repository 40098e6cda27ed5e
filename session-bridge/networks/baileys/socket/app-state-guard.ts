// Supervises Baileys' app-state syncs, which can block the lock and silently drop data (docs/internals/sessions.md, "Shared app state").
import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac, hkdfSync } from "node:crypto";
import {
  proto,
  toNumber,
  type BinaryNode,
  type LTHashState,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type WASocket,
} from "baileys";
import { QUERY_TIMEOUT_MS } from "./socket-config.ts";

const VERSION = "app-state-sync-version";
const KEY = "app-state-sync-key";
const TIMER_SLACK_MS = 250;
/** After an unreadable response, the library retries reading a version at most twice. */
const MAX_READS = 3;

/** `left_out`/`refused` by the response, `missing_key` if no device shared it, `failed` if the sync threw, `wrong_mac` if MACs differ. */
export type Unread = "unanswered" | "left_out" | "refused" | "missing_key" | "unreadable" | "failed" | "wrong_mac";

export type AppStateReport = { unread(collection: string, why: Unread): void; read(collection: string, verified: boolean): void };

type Sum = { version: number; mac: Uint8Array; keyId: string };
type Asked = { readAt: number; reads: number; brought: boolean; sum: Sum | null };
type Sync = {
  readonly asked: Map<string, Asked>;
  readonly unanswered: Set<string>;
  /** Reported when the sync has succeeded, because otherwise nothing of it is stored. */
  readonly read: Map<string, "unverified" | "verified" | "wrong_mac">;
  keyMissing: boolean;
  writes: boolean;
  ended: boolean;
};

const syncs = new AsyncLocalStorage<Sync>();

export class AppStateUnanswered extends Error {
  override name = "AppStateUnanswered";
  /** `failureOfError` treats an error with this status as a missing response. */
  readonly output = { statusCode: 408 };
}

export function outsideSync<T>(work: () => T): T {
  return syncs.exit(work);
}

export function guardAppStateSync(sock: WASocket, report: AppStateReport, timeoutMs = QUERY_TIMEOUT_MS): () => void {
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  const transaction = keys.transaction.bind(keys);
  const resync = sock.resyncAppState.bind(sock);
  let current: Sync | null = null;

  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    const sync: Sync = { asked: new Map(), unanswered: new Set(), read: new Map(), keyMissing: false, writes: false, ended: false };
    try {
      const result = await syncs.run(sync, work);
      for (const [name, how] of sync.read) {
        if (how === "wrong_mac") report.unread(name, how);
        else report.read(name, how === "verified");
      }
      for (const [name, { brought }] of sync.asked) if (brought) report.unread(name, sync.keyMissing ? "missing_key" : "unreadable");
      return result;
    } catch (error) {
      const why = error instanceof AppStateUnanswered ? "unanswered" : "failed";
      // A closed socket cannot read anything. The next socket gets the notification again, or continues the first sync.
      if (sock.ws.isOpen) for (const name of sync.asked.keys()) report.unread(name, why);
      throw error;
    } finally {
      sync.ended = true;
      if (current === sync) current = null;
    }
  };

  // A closed socket has no listeners, so writing the version would permanently skip the changes in its patches.
  const whileOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await work();
    if (syncs.getStore()?.writes === true && !sock.ws.isOpen) throw new Error("the socket closed during a sync of the app state");
    return result;
  };

  keys.transaction = (work, key) => {
    const guarded = () => whileOpen(work);
    return isRunning() ? transaction(guarded, key) : transaction(() => watched(guarded), key);
  };
  sock.resyncAppState = (collections, isInitial) => watched(async () => resync(collections, isInitial));

  const begin = (sync: Sync, names: readonly string[]): void => {
    const now = performance.now();
    for (const name of names) {
      const { readAt, reads, brought, sum } = sync.asked.get(name) ?? { readAt: now, reads: 0, brought: false, sum: null };
      if (now - readAt >= timeoutMs - TIMER_SLACK_MS || reads >= MAX_READS) throw new AppStateUnanswered(`no answer for ${name}`);
      sync.asked.set(name, { readAt: now, reads: reads + 1, brought, sum });
      sync.unanswered.add(name);
    }
    current = sync;
  };

  keys.get = (type, ids) => {
    const sync = syncs.getStore();
    if (sync === undefined || sync.ended) return get(type, ids);
    if (type === VERSION && keys.isInTransaction()) begin(sync, ids);
    return type === KEY && sync.asked.size > 0 ? readKeys(sync, () => get(type, ids), ids) : get(type, ids);
  };

  keys.set = async (data) => {
    await set(data);
    for (const [name, state] of Object.entries((data as SignalDataSet)[VERSION] ?? {})) {
      const sync = syncs.getStore();
      if (sync !== undefined) sync.writes = true;
      const asked = sync?.asked.get(name);
      if (sync === undefined || asked === undefined || !state) continue;
      Object.assign(asked, { readAt: Number.POSITIVE_INFINITY, reads: 0, brought: false });
      if (asked.sum?.version !== state.version) sync.read.set(name, "unverified");
      else sync.read.set(name, (await addsUp(name, state, asked.sum, keys)) ? "verified" : "wrong_mac");
    }
  };

  const answered = (frame: unknown): void => {
    const { tag, attrs } = (frame ?? {}) as Partial<BinaryNode>;
    if (current === null || current.unanswered.size === 0 || tag !== "iq" || attrs?.["type"] !== "result") return;
    const [reply] = childrenOf(frame as BinaryNode, "sync");
    if (reply !== undefined) takeReply(current, reply, report);
  };
  sock.ws.on("frame", answered);
  return () => sock.ws.off("frame", answered);
}

async function readKeys<T extends object>(sync: Sync, read: () => T | Promise<T>, ids: readonly string[]): Promise<T> {
  const found = await read();
  sync.keyMissing ||= ids.some((id) => Reflect.get(found, id) === undefined);
  return found;
}

function isRunning(): boolean {
  return syncs.getStore()?.ended === false;
}

/** Adds empty results for the missing collections, so that the library considers them done and reads the others. */
function takeReply(sync: Sync, reply: BinaryNode, report: AppStateReport): void {
  const collections = childrenOf(reply, "collection");
  const asked = [...sync.unanswered];
  sync.unanswered.clear();
  const leftOut = asked.filter((name) => !collections.some(({ attrs }) => attrs["name"] === name));
  reply.content = [...collections, ...leftOut.map((name) => ({ tag: "collection", attrs: { name } }))];
  for (const name of leftOut) {
    const asked = sync.asked.get(name);
    if (asked !== undefined) asked.brought = false;
    report.unread(name, "left_out");
  }
  for (const collection of collections) takeCollection(sync, collection, report);
}

function childrenOf({ content }: BinaryNode, tag: string): BinaryNode[] {
  return Array.isArray(content) ? content.filter((one) => one.tag === tag) : [];
}

function takeCollection(sync: Sync, collection: BinaryNode, report: AppStateReport): void {
  const { name = "", type, has_more_patches: more } = collection.attrs;
  const asked = sync.asked.get(name);
  if (asked === undefined) return;
  const patches = childrenOf(childrenOf(collection, "patches")[0] ?? collection, "patch");
  asked.brought = patches.length > 0 || childrenOf(collection, "snapshot").length > 0;
  asked.sum = sumOf(patches.at(-1)?.content, collection);
  if (asked.brought || more === "true") return;
  sync.asked.delete(name);
  if (type === "error") report.unread(name, "refused");
  else if (!sync.read.has(name)) sync.read.set(name, "unverified");
}

function sumOf(patch: BinaryNode["content"], { attrs }: BinaryNode): Sum | null {
  if (!(patch instanceof Uint8Array)) return null;
  const { version, snapshotMac, keyId } = proto.SyncdPatch.decode(patch);
  if (!snapshotMac || !keyId?.id) return null;
  const number = version?.version ? toNumber(version.version) : Number(attrs["version"]) + 1;
  return { version: number, mac: snapshotMac, keyId: Buffer.from(keyId.id).toString("base64") };
}

/** Recomputes the MAC as the devices do. The library's own check would ignore the data or abort the sync on a mismatch. */
async function addsUp(name: string, { hash, version }: LTHashState, sum: Sum, keys: SignalKeyStoreWithTransaction): Promise<boolean> {
  const { [sum.keyId]: key } = await keys.get(KEY, [sum.keyId]);
  if (!key?.keyData) return true;
  const derived = Buffer.from(hkdfSync("sha256", key.keyData, Buffer.alloc(0), "WhatsApp Mutation Keys", 160));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(version));
  const mac = createHmac("sha256", derived.subarray(96, 128)).update(hash).update(counter).update(name).digest();
  return mac.equals(sum.mac);
}
