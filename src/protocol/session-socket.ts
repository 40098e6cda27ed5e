// One WebSocket per session, from the bridge to the Connection object. The bridge sends `hello` first. Only `commit` changes durable data:
// the object applies its rows and events in one synchronous block, and sends `stored` once they are durable.
import * as z from "zod";
import { KeyedEvent } from "./events.ts";
import { Failure } from "./failures.ts";

export const SESSION_CLOSE = {
  /** The ticket is unknown, was used before, or belongs to an older generation. The bridge must end the session and not reconnect. */
  fenced: 4001,
  stopped: 4002,
  badFrame: 4003,
} as const;

/** After losing all sockets, a bridge spreads its reconnects over `spreadMs`. Retries follow within `capMs`. */
export const REDIAL = { spreadMs: 15_000, capMs: 10_000 } as const;
export const REDIAL_WITHIN_MS = REDIAL.spreadMs + REDIAL.capMs;

/** A bridge dials this many sockets at once. Each session ahead in the queue adds `eachMs` to the wait, up to `atMostMs`. */
export const DIALS = { atOnce: 16, eachMs: 500, atMostMs: 90_000 } as const;

/** The id of commands without a result frame, because events report the outcome of `send` and `recall`. */
export const NO_RESULT_ID = 0;

/** Keep-alive as text, on both sockets of a bridge. The platform responds to it without waking the object. */
export const PING = "ping";
export const PONG = "pong";

/** `key` is `<type>|<id>`. `value` is AES-256-GCM (nonce first) in base64, which only the bridge reads. `load` excludes COLD_ROWS. */
export const MAX_ROW_KEY = 400;
export const StateRow = z.tuple([z.string().max(MAX_ROW_KEY), z.string().nullable()]);
export type StateRow = z.infer<typeof StateRow>;

/** Kept for 7 days (`sent`: sent messages), 24 hours (`plain`: plaintexts and secrets) or 90 days (`poll`: secrets of polls and events). */
export const COLD_ROWS = ["sent", "plain", "poll"] as const;

export const SessionSettings = z.object({
  proxy_url: z.string().nullable(),
  device_name: z.string(),
  sync_history: z.enum(["none", "recent", "full"]),
  always_online: z.boolean(),
  download_media: z.boolean(),
  media_retention_days: z.number().int(),
  ignore_groups: z.boolean(),
  ignore_channels: z.boolean(),
  ignore_status: z.boolean(),
  /** True if linking may be confirmed with a passkey from a browser. */
  passkey: z.boolean().optional(),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

export const FromBridge = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    generation: z.number().int().positive(),
    bridge_id: z.string(),
    /** True after a reconnect, when the bridge still has the whole state in memory and needs no `load`. */
    has_state: z.boolean(),
  }),
  z.object({
    type: z.literal("commit"),
    /** Counts 1, 2, 3, … within a generation. A frame with a number that is already stored is acknowledged again but not applied again. */
    seq: z.number().int().positive(),
    /** The last write per key wins, and null deletes the row. Journal rows are rows of type `journal`. */
    rows: z.array(StateRow),
    events: z.array(KeyedEvent),
  }),
  z.object({ type: z.literal("fetch"), id: z.number().int(), keys: z.array(z.string()).max(100) }),
  z.object({ type: z.literal("result"), id: z.number().int(), ok: z.literal(true), value: z.string() }),
  z.object({ type: z.literal("failed"), id: z.number().int(), failure: Failure }),
]);
export type FromBridge = z.infer<typeof FromBridge>;

export const ToBridge = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    /** The key that encrypts this connection's state rows (32 bytes in Base64). */
    state_key: z.string(),
    /** For this generation's next connection attempt. It can be used only once. */
    resume_ticket: z.string(),
    stored_through: z.number().int().nonnegative(),
    settings: SessionSettings,
  }),
  /** All rows that are not cold, in slices of up to 512 kB. `last` marks the final slice. Not sent when `has_state` was true. */
  z.object({ type: z.literal("load"), rows: z.array(z.tuple([z.string(), z.string()])), last: z.boolean() }),
  z.object({ type: z.literal("stored"), seq: z.number().int().positive() }),
  z.object({ type: z.literal("rows"), id: z.number().int(), rows: z.array(z.tuple([z.string(), z.string()])) }),
  /** `id` matches the result frame, unless it is NO_RESULT_ID. `deadline_ms` says how long the object waits. */
  z.object({
    type: z.literal("command"),
    id: z.number().int(),
    name: z.string(),
    input: z.string(),
    deadline_ms: z.number().int().positive(),
    trace: z.string().max(100).optional(),
  }),
  /** The owner has changed settings. Settings that are read only at session start take effect at the next start. */
  z.object({ type: z.literal("settings"), settings: SessionSettings }),
  /** `logout` first unlinks the device. `finish_ms` is the time for in-flight sends and commands. Without it, they get none. */
  z.object({ type: z.literal("stop"), logout: z.boolean(), finish_ms: z.number().int().nonnegative().optional() }),
]);
export type ToBridge = z.infer<typeof ToBridge>;
