// The interface between a session and its network. The Baileys driver is the only implementation.
import type { Readable } from "node:stream";
import type { Semaphore } from "async-mutex";
import type { Logger } from "pino";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { AnnouncedVersion, ClientVersionSetting, ProxyCheck, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import type { Span, Tracer } from "@gateway/tracing/span.ts";
import type { BridgeMetrics } from "../metrics/bridge-metrics.ts";
import type { OpenSockets } from "../open-sockets.ts";
import type { ColdRowReads } from "../store/cold-row-reads.ts";
import type { RowSerializer } from "../store/row-codec.ts";
import type { WriteBehindCache } from "../store/write-behind-cache.ts";

export type MediaFile = { mimetype: string; filename: string | null; sha256: string | null; size: number; days?: number };

/** Fails with `media_expired`, `media_too_large`, `unavailable` or `instance_reconnecting` (session has moved). `days` is the retention. */
export type MediaLink = {
  upload(body: Buffer | Readable, file: MediaFile): Promise<Outcome<{ token: string; size: number }>>;
  open(token: string): Promise<Outcome<{ stream: Readable; size: number | null }>>;
};

export type DriverDependencies = {
  connection: string;
  logger: Logger;
  store: WriteBehindCache;
  coldRows: ColdRowReads;
  media: MediaLink;
  connectSlots: Semaphore;
  openSockets: OpenSockets;
  metrics: BridgeMetrics;
  tracer: Tracer | null;
  settings(): SessionSettings;
  ended: AbortSignal;
  finished(): void;
};

/**
 * One session on its network. A driver promises:
 * - It keeps no durable state of its own. All of its state is in rows of `store`, so a kill at any time loses nothing.
 * - It acknowledges nothing to the network until the commit is stored, and sends no byte until the rows that it depends on are stored.
 * - It emits events through `store.emit` in order, with a dedupe key wherever it may report an event twice.
 * - It settles each send with a `send.settled` event. It writes a send again only if the send certainly was not sent.
 * - It returns expected outcomes as values. An exception is a bug.
 */
export type NetworkDriver = {
  readonly open: boolean;
  readonly paired: boolean;
  /** Number of received stanzas whose events are not stored yet. */
  readonly journalEntries: number;
  start(): void;
  settingsChanged(): void;
  /** Drops the network socket. The driver then reconnects by itself, and the network redelivers unacknowledged stanzas. */
  disconnect(): void;
  sendsEnded(ms: number): Promise<void>;
  /** Closes permanently. With `logout`, first unlinks the device and then deletes its state. Called again after `ended`. */
  stop(logout: boolean): Promise<void>;
  /** `input` is JSON. Sends and recalls report their outcome by events, other commands return it. The caller waits `deadlineMs`. */
  command(name: string, input: string, deadlineMs: number, span?: Span | null): Promise<Outcome<unknown>>;
};

export type NetworkLibrary = {
  readonly rows: RowSerializer;
  createDriver(deps: DriverDependencies): NetworkDriver;
  readonly clientVersion: { set(setting: ClientVersionSetting): void; announced(): AnnouncedVersion; served(): string | null };
  /** Checks whether the network can be reached through a proxy. `exitAddress` is a URL that returns the proxy's own address. */
  checkProxy(check: ProxyCheck, exitAddress: URL): Promise<ProxyCheckResult>;
};
