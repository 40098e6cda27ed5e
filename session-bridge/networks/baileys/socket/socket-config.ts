import {
  Browsers,
  isJidGroup,
  isJidNewsletter,
  isJidStatusBroadcast,
  proto,
  type CacheStore,
  type UserFacingSocketConfig,
  type WAVersion,
} from "baileys";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import type { Network } from "#bridge/settings.ts";
import type { AuthState } from "../durability/auth-state.ts";
import type { DeviceLists } from "./device-lists.ts";
import { libraryLog } from "./library-log.ts";
import type { MediaHosts } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";
import { downloadOptions } from "../session/whole-bodies.ts";
import type { durableSignal } from "../durability/signal.ts";
import { boundedCache } from "../session/per-session.ts";

/** Baileys' default of 60 s would stall the whole session. */
export const QUERY_TIMEOUT_MS = 20_000;

const FULL_HISTORY: proto.Message.HistorySyncType = proto.Message.HistorySyncType.FULL;

export type SocketDependencies = {
  network: Network;
  version: WAVersion;
  /** Read on each use, because some settings take effect while the socket is open. */
  settings: () => SessionSettings;
  auth: AuthState;
  proxies: Proxies;
  mediaHosts: MediaHosts;
  /** Called with the path of a file of history or app state that the host has deleted. */
  fileGone(path: string): void;
  signal: ReturnType<typeof durableSignal>;
  deviceLists: DeviceLists;
  retryCounters: CacheStore;
  cachedGroupMetadata: NonNullable<UserFacingSocketConfig["cachedGroupMetadata"]>;
  getMessage: NonNullable<UserFacingSocketConfig["getMessage"]>;
};

export function socketConfig(deps: SocketDependencies): UserFacingSocketConfig {
  const { proxies } = deps;
  const settings = deps.settings();
  return {
    ...(deps.network.kind === "local" ? { waWebSocketUrl: deps.network.url } : {}),
    ...(proxies.agent === undefined ? {} : { agent: proxies.agent }),
    ...(proxies.fetchAgent === undefined ? {} : { fetchAgent: proxies.fetchAgent }),
    options: downloadOptions(proxies, deps.mediaHosts, (path) => deps.fileGone(path)),
    auth: deps.auth,
    logger: libraryLog,
    version: deps.version,
    browser: [settings.device_name, "Chrome", Browsers.macOS("Chrome")[2]],
    makeSignalRepository: deps.signal,
    // Retries would only hide a bug, because the store responds from memory and cannot fail.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    // The library's own events about our sends would replace the network's reports.
    emitOwnEvents: false,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    // With a timeout, the library would build two stack traces per frame. `limitOpening` limits the opening instead.
    connectTimeoutMs: 0,
    markOnlineOnConnect: settings.always_online,
    syncFullHistory: settings.sync_history === "full",
    shouldSyncHistoryMessage: ({ syncType }) => acceptsHistory(settings, syncType),
    // The library acks ignored stanzas with an error, which `libraryLog` removes.
    shouldIgnoreJid: (jid) => isIgnored(jid, deps.settings()),
    userDevicesCache: deps.deviceLists,
    msgRetryCounterCache: deps.retryCounters,
    cachedGroupMetadata: deps.cachedGroupMetadata,
    getMessage: deps.getMessage,
  };
}

/** All types except the full history are always accepted, because they contain LID mappings, labels and names. */
export function acceptsHistory({ sync_history }: SessionSettings, syncType: unknown): boolean {
  return sync_history === "full" || syncType !== FULL_HISTORY;
}

function isIgnored(jid: string, settings: SessionSettings): boolean {
  if (settings.ignore_groups && isJidGroup(jid)) return true;
  if (settings.ignore_channels && isJidNewsletter(jid)) return true;
  return settings.ignore_status && isJidStatusBroadcast(jid);
}

const MAX_COUNTERS = 2_000;
const TTL_MS = 3_600_000;

/** Counts resends to devices that could not decrypt a message, across the session's sockets. */
export function createRetryCounters(): CacheStore {
  const counters = boundedCache<string, NonNullable<unknown>>(MAX_COUNTERS, TTL_MS);
  return {
    // Baileys reads back the values that it wrote, so the cast to its type is safe.
    get: (key) => counters.get(key) as never,
    set: (key, value) => void counters.set(key, value as NonNullable<unknown>),
    del: (key) => void counters.delete(key),
    flushAll: () => counters.clear(),
  };
}
