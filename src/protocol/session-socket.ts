// Frames of the session socket: one WebSocket per session, dialled by the bridge, accepted by the Connection object.
//
// The bridge sends the first frame (`hello`). `commit` is the only frame that changes anything durable: state rows, journal
// rows and events of one frame are applied in one synchronous block, and `stored` is sent when they are durable.
import { z } from "zod";
import { KeyedEvent } from "./events.ts";
import { Failure } from "./failures.ts";

/** Close codes of this socket. */
export const SESSION_CLOSE = {
  /** The ticket is unknown, used or of an older generation: end the session, do not redial. */
  fenced: 4001,
  /** The object asked the session to stop (`stop` came before). */
  stopped: 4002,
  /** A frame that does not fit the schema. */
  badFrame: 4003,
} as const;

/**
 * A bridge whose sockets were lost together, as by a deploy, dials again spread over `spreadMs`; each further try comes after `capMs` at most.
 */
export const REDIAL = { spreadMs: 15_000, capMs: 10_000 } as const;
/** A session whose socket is gone may still be on its way back for so long. */
export const REDIAL_WITHIN_MS = REDIAL.spreadMs + REDIAL.capMs;

/**
 * A bridge dials so many session sockets at a time. Where it was given more at once, the object waits `eachMs` longer for each that comes before
 * its own, `atMostMs` in all.
 */
export const DIALS = { atOnce: 16, eachMs: 500, atMostMs: 90_000 } as const;

/** The id of commands without a result frame: `send` and `recall` are answered by events. */
export const NO_RESULT_ID = 0;

/** A keep-alive as text, on both sockets of a bridge: like the protocol's own ping it is answered without waking the object. */
export const PING = "ping";
export const PONG = "pong";

/**
 * A state row: `key` is `<type>|<id>`, `value` base64 of AES-256-GCM (12-byte nonce first) under the connection's state key, made
 * and read by the bridge only. The types in COLD_ROWS are not part of `load`; the bridge reads single ones by `fetch`.
 */
export const StateRow = z.tuple([z.string().max(400), z.string().nullable()]);
export type StateRow = z.infer<typeof StateRow>;

/**
 * `sent`: bytes of an own message, written before it is sent; `plain`: plaintext of a ciphertext already decrypted, and the
 * secret of a message; `poll`: the secret of a poll or an event. The object drops `sent` after 7 days, `plain` after 24 hours, `poll` after 90 days.
 */
export const COLD_ROWS = ["sent", "plain", "poll"] as const;

/** What the network driver must know of a connection before it opens a socket. */
export const SessionSettings = z.object({
  proxy_url: z.string().nullable(),
  device_name: z.string(),
  sync_history: z.enum(["none", "recent", "full"]),
  always_online: z.boolean(),
  download_media: z.boolean(),
  /** How long the files of messages are stored. */
  media_retention_days: z.number().int(),
  ignore_groups: z.boolean(),
  ignore_channels: z.boolean(),
  ignore_status: z.boolean(),
  /** Linking may be confirmed with a passkey that a browser holds; absent: by an object of an earlier release. */
  passkey: z.boolean().optional(),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

/** Bridge → object. */
export const FromBridge = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    generation: z.number().int().positive(),
    bridge_id: z.string(),
    /** true after a redial: the bridge still has the whole state in memory and needs no `load`. */
    has_state: z.boolean(),
  }),
  z.object({
    type: z.literal("commit"),
    /** 1, 2, 3, … within a generation. A frame at or below the last stored one is answered again, not applied again. */
    seq: z.number().int().positive(),
    /** Last write per key wins; null deletes. Journal rows are rows of type `journal`. */
    rows: z.array(StateRow),
    events: z.array(KeyedEvent),
  }),
  z.object({ type: z.literal("fetch"), id: z.number().int(), keys: z.array(z.string()).max(100) }),
  z.object({ type: z.literal("result"), id: z.number().int(), ok: z.literal(true), value: z.string() }),
  z.object({ type: z.literal("failed"), id: z.number().int(), failure: Failure }),
]);
export type FromBridge = z.infer<typeof FromBridge>;

/** Object → bridge. */
export const ToBridge = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    /** Base64, 32 bytes: encrypts this connection's state rows at rest. */
    state_key: z.string(),
    /** For the next dial of this generation, once. */
    resume_ticket: z.string(),
    stored_through: z.number().int().nonnegative(),
    settings: SessionSettings,
  }),
  /** All rows that are not cold, in slices of at most 512 kB; `last` ends it. Not sent when `has_state` was true. */
  z.object({ type: z.literal("load"), rows: z.array(z.tuple([z.string(), z.string()])), last: z.boolean() }),
  z.object({ type: z.literal("stored"), seq: z.number().int().positive() }),
  z.object({ type: z.literal("rows"), id: z.number().int(), rows: z.array(z.tuple([z.string(), z.string()])) }),
  /**
   * `id`: of the result frame, unless it is NO_RESULT_ID. `input` is JSON of the command's input schema. `deadline_ms`: how long the object
   * waits for the result.
   */
  z.object({
    type: z.literal("command"),
    id: z.number().int(),
    name: z.string(),
    input: z.string(),
    deadline_ms: z.number().int().positive(),
    /** `traceparent` of the span that gives the command; absent: it is not traced. */
    trace: z.string().max(100).optional(),
  }),
  /** The owner changed settings: they apply from now on; those that only a start reads, from the next start on. */
  z.object({ type: z.literal("settings"), settings: SessionSettings }),
  /**
   * Close the network socket and end the session; `logout` unlinks the device first. `finish_ms`: how long sends and commands that are
   * under way may take to end before that; none when absent.
   */
  z.object({ type: z.literal("stop"), logout: z.boolean(), finish_ms: z.number().int().nonnegative().optional() }),
]);
export type ToBridge = z.infer<typeof ToBridge>;
