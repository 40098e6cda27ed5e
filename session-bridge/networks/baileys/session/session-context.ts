// What every room of the driver is given: the session, and the network socket it works on.
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
 * State rows, `<type>|<id>`. A write changes memory at once and is durable before any byte that is written to the network after
 * it (output gate). A type in COLD_ROWS is stored but not held in memory: read it back with `fetchCold`.
 */
export type Rows = {
  put(key: string, value: Buffer | string | null): void;
  get(key: string): Buffer | string | undefined;
  /** The keys of a type that is not cold. */
  keysOf(type: string): string[];
  /** Rows that exist; rejects only when the session has ended. */
  fetchCold(keys: readonly string[]): Promise<Map<string, Buffer | string>>;
};

/**
 * Without a proxy both agents are missing: what leaves one of them out leaks past the customer's proxy (docs/internals/sessions.md, "Proxies").
 * The dispatcher, which downloads go through, reaches hosts of the network only.
 */
export type Proxies = { agent?: Agent; fetchAgent?: Agent; dispatcher: Dispatcher };

/** One session in this process. The object is the same across reconnects, so `perSession` keys by it what must outlive a socket. */
export type NetworkSession = {
  /** The connection's UUID. */
  readonly connection: string;
  readonly logger: Logger;
  readonly metrics: BridgeMetrics;
  /** Null: nothing is traced. */
  readonly tracer: Tracer | null;
  readonly settings: SessionSettings;
  readonly rows: Rows;
  readonly media: MediaLink;
  readonly proxies: Proxies;
  readonly mediaHosts: MediaHosts;
  /** Aborted when the session has ended: what it has not stored by then is the next one's to do. */
  readonly ended: AbortSignal;
  /** Unix milliseconds. */
  now(): number;
  /** Sends events to the Connection object, in order, in one commit with everything put before them or a later one. */
  emit(events: readonly KeyedEvent[]): void;
  /** Resolves once everything that was put and emitted so far is in the object's store. */
  flushed(): Promise<void>;
  /**
   * Runs asynchronous work on something that a Baileys event reported. Call it in the event's own tick: the journal keeps the
   * stanzas handled so far until the work has ended, so that a crash in between replays them. A rejection is logged.
   */
  task(work: () => Promise<void>): void;
};

/**
 * A session while it has a network socket: a new one for each socket. Every handler of a stanza, event or command takes it as its first
 * argument, as a handler of a web framework takes its context; what needs less names it (`Pick<SessionContext, "sock">`).
 */
export type SessionContext = NetworkSession & {
  readonly session: NetworkSession;
  readonly sock: WASocket;
  /** Same object as `sock.authState`; `sock.user` is a stale copy, `auth.creds.me` is not. */
  readonly auth: WASocket["authState"];
  readonly wire: {
    /** true once everything sent so far has been handed to the network socket; false when it closed before. */
    written(): Promise<boolean>;
  };
  /**
   * Whether the network queued the message or call with this id while the session was offline. (For messages Baileys reports it too: type
   * `append`. For calls its `offline` cannot be trusted here.)
   */
  arrivedOffline(id: string): boolean;
  /** When the stanza with this id came, by the process's monotonic clock (ms); undefined while nothing is traced. */
  arrivedAt(id: string): number | undefined;
  /** Forgets a user's device list (ack 479: it is stale). */
  forgetDevices(user: string): void;
};
