import type { Agent } from "node:https";
import type { CacheStore, WASocket } from "baileys";
import type { Logger } from "pino";
import type { Dispatcher } from "undici";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import type { Tracer } from "@gateway/tracing/span.ts";
import type { BridgeMetrics } from "#bridge/metrics/bridge-metrics.ts";
import type { MediaLink } from "../../network.ts";
import type { MediaHosts } from "./media-hosts.ts";

/** Rows named `<type>|<id>`. A write is durable before any later byte is sent. Types in COLD_ROWS require `fetchCold`. */
export type Rows = {
  put(key: string, value: Buffer | string | null): void;
  get(key: string): Buffer | string | undefined;
  keysOf(type: string): string[];
  fetchCold(keys: readonly string[]): Promise<Map<string, Buffer | string>>;
};

export type TextRow = { read(): string | undefined; write(text: string): void };

/** Both agents are undefined without a proxy. If there is a proxy, a request that does not use its agent would bypass the proxy. */
export type Proxies = { agent?: Agent; fetchAgent?: Agent; dispatcher: Dispatcher };

/** One session in this process. The object survives reconnects, so `perSession` uses it as its key. */
export type NetworkSession = {
  readonly connection: string;
  readonly logger: Logger;
  readonly metrics: BridgeMetrics;
  readonly tracer: Tracer | null;
  readonly settings: SessionSettings;
  readonly rows: Rows;
  readonly media: MediaLink;
  readonly proxies: Proxies;
  readonly mediaHosts: MediaHosts;
  /** Aborted when the session has ended and nothing more can be stored. */
  readonly ended: AbortSignal;
  now(): number;
  /** Sends events to the Connection object in order. Events are stored in the same commit as earlier writes, or in a later one. */
  emit(events: readonly KeyedEvent[]): void;
  flushed(): Promise<void>;
  /** Runs work for a Baileys event. Call it in the event's tick, because the journal keeps the event's stanzas until the work ends. */
  task(work: () => Promise<void>): void;
};

/** A session and its network socket. Each socket gets a new context. */
export type SessionContext = NetworkSession & {
  readonly session: NetworkSession;
  readonly sock: WASocket;
  /** The same object as `sock.authState`. Use `auth.creds.me`, because `sock.user` is a stale copy. */
  readonly auth: WASocket["authState"];
  readonly wire: {
    /** See `OutputGate`. */
    written(): Promise<boolean>;
    mark(): () => boolean;
  };
  /** True if the item was queued while offline. Baileys reports it for messages (type `append`), but unreliably for calls. */
  arrivedOffline(id: string): boolean;
  arrivedAt(id: string): number | undefined;
  forgetDevices(user: string): void;
  /** The group's next message then contains the number's key for all members. */
  forgetKeyHolders(group: string): void;
  /** How often the library has resent a message to a device, as `<message id>:<device's JID>`. */
  readonly retryCounters: CacheStore;
};
