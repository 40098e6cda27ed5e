// The context of every part of the driver: the session and its current network socket.
import type { Agent } from "node:https";
import type { WASocket } from "baileys";
import type { Logger } from "pino";
import type { Dispatcher } from "undici";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import type { Tracer } from "@gateway/tracing/span.ts";
import type { BridgeMetrics } from "#root/metrics/bridge-metrics.ts";
import type { MediaLink } from "../../network.ts";
import type { MediaHosts } from "./media-hosts.ts";

/**
 * State rows named `<type>|<id>`. A write changes memory at once and is durable before any later byte goes to the network (output gate).
 * Types in COLD_ROWS are not held in memory; read them with `fetchCold`.
 */
export type Rows = {
  put(key: string, value: Buffer | string | null): void;
  get(key: string): Buffer | string | undefined;
  keysOf(type: string): string[];
  fetchCold(keys: readonly string[]): Promise<Map<string, Buffer | string>>;
};

/**
 * Both agents are undefined without a proxy. Any request that omits its agent bypasses the customer's proxy (docs/internals/sessions.md,
 * "Proxies"). The dispatcher is for downloads and reaches only hosts of the network.
 */
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
  /** Sends events to the Connection object in order, in the same commit as earlier writes or a later one. */
  emit(events: readonly KeyedEvent[]): void;
  flushed(): Promise<void>;
  /**
   * Runs asynchronous work for a Baileys event. Call it in the event's own tick: the journal keeps the stanzas handled so far until the
   * work ends, so that a crash replays them. Rejections are logged.
   */
  task(work: () => Promise<void>): void;
};

/**
 * A session and its network socket; each socket has a new object. All handlers of stanzas, events and commands accept it as their first
 * argument.
 */
export type SessionContext = NetworkSession & {
  readonly session: NetworkSession;
  readonly sock: WASocket;
  /** The same object as `sock.authState`. Use `auth.creds.me`; `sock.user` is a stale copy. */
  readonly auth: WASocket["authState"];
  readonly wire: {
    /** True once everything sent so far was handed to the network socket; false when it closed first. */
    written(): Promise<boolean>;
  };
  /**
   * Whether the network queued this message or call while the session was offline. Baileys reports it for messages too (type `append`),
   * but unreliably for calls.
   */
  arrivedOffline(id: string): boolean;
  arrivedAt(id: string): number | undefined;
  forgetDevices(user: string): void;
};
