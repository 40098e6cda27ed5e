// What Baileys is configured with (docs/durability.md, "Configuration of Baileys").
import { Browsers, isJidGroup, isJidNewsletter, isJidStatusBroadcast, proto, type CacheStore, type UserFacingSocketConfig } from "baileys";
import type { SessionSettings } from "../../../../src/protocol/session-socket.ts";
import type { Network } from "../../../settings.ts";
import type { AuthState } from "../durability/auth-state.ts";
import type { DeviceLists } from "./device-lists.ts";
import { silentLog } from "./library-log.ts";
import type { Proxies } from "../session/session-context.ts";
import type { durableSignal } from "../durability/signal.ts";

/** A question the network has not answered by then will not be answered; Baileys' own 60 s stall a whole session. */
export const QUERY_TIMEOUT_MS = 20_000;

const FULL_HISTORY: proto.Message.HistorySyncType = proto.Message.HistorySyncType.FULL;

export type SocketDependencies = {
  network: Network;
  /** As they are now: some of them hold as soon as they change. */
  settings: () => SessionSettings;
  auth: AuthState;
  proxies: Proxies;
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
    ...(proxies.dispatcher === undefined ? {} : { options: { dispatcher: proxies.dispatcher } as unknown as RequestInit }),
    auth: deps.auth,
    logger: silentLog,
    browser: [settings.device_name, "Chrome", Browsers.macOS("Chrome")[2]],
    makeSignalRepository: deps.signal,
    // The mirror answers from memory and cannot fail: repeating a commit would only hide a defect.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    // Own events of a send would absorb what the network says of it (docs/durability.md, "Wire protocol: messages and receipts").
    emitOwnEvents: false,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    markOnlineOnConnect: settings.always_online,
    syncFullHistory: settings.sync_history === "full",
    // Even with no history wanted the rest is taken: LID numbers, labels and names come with it.
    shouldSyncHistoryMessage: ({ syncType }) => settings.sync_history === "full" || syncType !== FULL_HISTORY,
    shouldIgnoreJid: (jid) => isIgnored(jid, deps.settings()),
    userDevicesCache: deps.deviceLists,
    msgRetryCounterCache: deps.retryCounters,
    cachedGroupMetadata: deps.cachedGroupMetadata,
    getMessage: deps.getMessage,
  };
}

function isIgnored(jid: string, settings: SessionSettings): boolean {
  if (settings.ignore_groups && isJidGroup(jid)) return true;
  if (settings.ignore_channels && isJidNewsletter(jid)) return true;
  return settings.ignore_status && isJidStatusBroadcast(jid);
}
