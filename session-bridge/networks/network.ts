// The seam between a session and the network it lives on. The Baileys driver is the only implementation so far.
import type { Readable } from "node:stream";
import type { Semaphore } from "async-mutex";
import type { Logger } from "pino";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { AnnouncedVersion, ClientVersionSetting } from "@gateway/protocol/bridge/client-version.ts";
import type { ProxyCheck, ProxyCheckResult } from "@gateway/protocol/bridge/proxy-checks.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import type { Span, Tracer } from "@gateway/tracing/span.ts";
import type { BridgeMetrics } from "../metrics/bridge-metrics.ts";
import type { OpenLines } from "../open-lines.ts";
import type { ColdRows } from "../store/cold-rows.ts";
import type { RowSerializer } from "../store/row-codec.ts";
import type { WriteBehindCache } from "../store/write-behind-cache.ts";

/** `days`: retention; the worker's default when absent. */
export type MediaFile = { mimetype: string; filename: string | null; sha256: string | null; size: number; days?: number };

/**
 * Files travel over HTTP with the worker, never over the session socket. Failures: `media_expired`, `media_too_large`, `unavailable`,
 * `instance_reconnecting` when another bridge holds the session.
 */
export type MediaLink = {
  /** A Buffer is sent again after a failure; a stream is sent once. */
  upload(body: Buffer | Readable, file: MediaFile): Promise<Outcome<{ token: string; size: number }>>;
  open(token: string): Promise<Outcome<{ stream: Readable; size: number | null }>>;
};

/** What a session gives to its driver. */
export type DriverDependencies = {
  /** The connection's UUID. */
  connection: string;
  logger: Logger;
  /** Rows of the session and the way out for its events, in one order. */
  store: WriteBehindCache;
  /** Rows that are stored but not held in memory. */
  coldRows: ColdRows;
  media: MediaLink;
  /** Shared by all sessions of the process: limits how many connect at the same time. */
  connectSlots: Semaphore;
  /** Of all sessions of the process: which of their lines were lost together. */
  lines: OpenLines;
  /** Of all sessions of the process. */
  metrics: BridgeMetrics;
  /** Null: nothing is traced. */
  tracer: Tracer | null;
  settings(): SessionSettings;
  /** Aborted when the session has ended: nothing is stored any more. */
  ended: AbortSignal;
  /** No network socket will be opened again until the object asks for a new session. */
  finished(): void;
};

/**
 * One session on its network. What a driver must promise:
 *
 * - Nothing durable of its own: all state is rows of `store`, and a process that is killed at any moment loses none of it.
 * - Nothing is acknowledged to the network before the commit that holds it is stored; no byte leaves before the rows it depends on.
 * - Events go through `store.emit` in order, with a dedupe key wherever the same fact can be reported twice.
 * - A send is settled by a `send.settled` event. It is written to the wire a second time only if it was certainly not sent the first time.
 * - Expected outcomes are values; an exception is a defect.
 */
export interface NetworkDriver {
  /** Messages can be sent. */
  readonly open: boolean;
  /** A device is linked. */
  readonly paired: boolean;
  /** What the network said and whose events are not stored yet. */
  readonly journalEntries: number;
  start(): void;
  /** `settings()` returns something else now. */
  settingsChanged(): void;
  /** Drops the network socket; the driver reconnects by itself, and the network redelivers what was not acknowledged. */
  disconnect(): void;
  /** Resolves when no send is under way, but after `ms` at the latest. */
  sendsEnded(ms: number): Promise<void>;
  /** Closes for good. With `logout` the device is unlinked first and its state deleted. */
  stop(logout: boolean): Promise<void>;
  /**
   * `input`: JSON of the command's input schema. Sends and recalls are answered by events, everything else by the outcome. `deadlineMs`: how
   * long it is waited for. `span`: of the command, when it is traced; that of a send which was taken is ended with it.
   */
  command(name: string, input: string, deadlineMs: number, span?: Span | null): Promise<Outcome<unknown>>;
}

/** A network library, made ready once per process. */
export interface NetworkLibrary {
  readonly rows: RowSerializer;
  createDriver(deps: DriverDependencies): NetworkDriver;
  /** Of all sessions of the process. */
  readonly clientVersion: { set(setting: ClientVersionSetting): void; announced(): AnnouncedVersion; served(): string | null };
  /** Whether the network can be reached through a proxy. `exitAddress`: where the proxy's own address is asked. */
  checkProxy(check: ProxyCheck, exitAddress: URL): Promise<ProxyCheckResult>;
}
