// What the durable core of a session gives to the code that reads from the network (`inbound/listen.ts`) and writes to it
// (`outbound/outbound.ts`), and what it calls there.
import type { Agent } from "node:https";
import type { Readable } from "node:stream";
import type { WASocket } from "baileys";
import type { Logger } from "pino";
import type { Dispatcher } from "undici";
import type { SendRequest } from "../../../../src/protocol/content.ts";
import type { KeyedEvent } from "../../../../src/protocol/events.ts";
import type { Outcome } from "../../../../src/protocol/failures.ts";
import type { SessionSettings } from "../../../../src/protocol/session-socket.ts";

/**
 * State rows, `<type>|<id>`. A write changes memory at once and is durable before any byte that is written to the network after
 * it (output gate). A type in COLD_ROWS is written but not kept: read it back with `fetchCold`.
 */
export type Rows = {
  put(key: string, value: Buffer | string | null): void;
  get(key: string): Buffer | string | undefined;
  /** Rows that exist; rejects only when the session is given up. */
  fetchCold(keys: readonly string[]): Promise<Map<string, Buffer | string>>;
};

/** `days`: how long it is to be kept; the worker's own time unless said. */
export type MediaFile = { mimetype: string; filename: string | null; sha256: string | null; size: number; days?: number };

/** Files travel over HTTP with the worker, never over the session socket. Failures: `media_expired`, `media_too_large`, `unavailable`. */
export type MediaLink = {
  /** A Buffer is sent again after a failure; a stream is sent once. */
  upload(body: Buffer | Readable, file: MediaFile): Promise<Outcome<{ token: string; size: number }>>;
  open(token: string): Promise<Outcome<{ stream: Readable; size: number | null }>>;
};

/** All three or none: what leaves one of them out leaks past the customer's proxy (docs/durability.md, "Proxies"). */
export type Proxies = { agent?: Agent; fetchAgent?: Agent; dispatcher?: Dispatcher };

/** One session in this process: the same object across reconnects, so a WeakMap keyed by it keeps what must outlive a socket. */
export type SessionLink = {
  /** The connection's UUID. */
  readonly connection: string;
  readonly logger: Logger;
  readonly settings: SessionSettings;
  readonly rows: Rows;
  readonly media: MediaLink;
  readonly proxies: Proxies;
  /** Unix milliseconds. */
  now(): number;
  /** Hands events to the Connection object, in order, with everything that was put before them. */
  emit(events: readonly KeyedEvent[]): void;
  /** Resolves once everything that was put and emitted so far is in the object's store. */
  stored(): Promise<void>;
  /**
   * Runs asynchronous work on something that a Baileys event reported. Call it in the event's own tick: the journal keeps the
   * stanzas handled so far until the work has ended, so that a crash in between replays them. A rejection is logged.
   */
  task(work: () => Promise<void>): void;
};

/** A session while it has a network socket: a new one for each socket. */
export type SessionContext = SessionLink & {
  readonly link: SessionLink;
  readonly sock: WASocket;
  /** Same object as `sock.authState`; `sock.user` is a stale copy, `auth.creds.me` is not. */
  readonly auth: WASocket["authState"];
  readonly wire: {
    /** true once all that was written to the network socket so far has been handed to it; false when it closed before. */
    written(): Promise<boolean>;
  };
  /**
   * Was the stanza with this message id, or the call with this id, kept back by the network while the session was offline? (Baileys
   * tells it for messages too: type `append`. For calls its `offline` is not to be trusted here.)
   */
  arrivedOffline(id: string): boolean;
  /** Forgets whom a person's messages go to (ack 479: the device list is stale). */
  forgetDevices(user: string): void;
};

/** `inbound/listen.ts`. */
export type Inbound = {
  /** Subscribes to `sock.ev` and `sock.ws` at once; the answer unsubscribes and drops timers. Called before the socket is connected. */
  listen(ctx: SessionContext): () => void;
};

/** `outbound/outbound.ts`. Nothing here throws; outcomes of sends are events `send.settled`. */
export type Outbound = {
  /** Only called while the session is open. Resolves when nothing more is to be done for it. */
  send(ctx: SessionContext, request: SendRequest): Promise<void>;
  /** Answered by `send.settled` for each id; also called while there is no network socket. */
  recall(link: SessionLink, messageIds: readonly string[]): void;
  /** The network socket is gone: settle or keep what was in flight on it. */
  disconnected(link: SessionLink): void;
  /** Every command but `send`, `recall` and `session.pairing_code`; `input` is already parsed by the command's schema. */
  runCommand(ctx: SessionContext, name: string, input: unknown): Promise<Outcome<unknown>>;
};
