// The dashboard's live view of a connection: a WebSocket from the worker to the object, which only sends.
import { z } from "zod";
import { INSTANCE_STATUSES } from "./connection.ts";
import { HistoryProgress } from "./records.ts";

/** The path of the upgrade request; its query `request` is a `StatusSocketRequest`. Bridges use another one. */
export const STATUS_SOCKET_PATH = "/status";

/** What a page of the dashboard shows and events do not tell. */
const LIVE_PARTS = ["requests", "deliveries"] as const;
export type LivePart = (typeof LIVE_PARTS)[number];

/** What a watcher is shown: everything, what somebody who pairs a number needs (no events), or the status alone. */
const VIEWS = ["all", "pairing", "status"] as const;

/** `user`: the id of who watches. `after`: id of the last received event. */
export const StatusSocketRequest = z.object({ user: z.string(), view: z.enum(VIEWS), after: z.string().nullable() });
export type StatusSocketRequest = z.infer<typeof StatusSocketRequest>;

/** Why the object closes a watcher's socket. */
export const WATCH_CLOSE = { notAllowed: 1008, crowdedOut: 1013 } as const;

/**
 * The first frames are the current state: `status`, `qr` when there is one to scan, `history` unless there was none. Then the events
 * behind `after`, or `reset`.
 */
export const StatusFrame = z.discriminatedUnion("type", [
  /** `id` on the first one: of the place in the events that the stream begins at. */
  z.object({
    type: z.literal("status"),
    id: z.string().optional(),
    status: z.enum(INSTANCE_STATUSES),
    status_reason: z.string(),
    phone: z.string().nullable(),
  }),
  /** `expires_at` is Unix seconds. */
  z.object({ type: z.literal("qr"), raw: z.string(), expires_at: z.number().int() }),
  /** Of the history sync; `progress` in percent. */
  z.object({ type: z.literal("history"), ...HistoryProgress.shape }),
  /** `json` is a Connection API event without a delivery's `id`. */
  z.object({ type: z.literal("event"), id: z.string(), json: z.string() }),
  /** There is something new to be asked for. */
  z.object({ type: z.literal("changed"), part: z.enum(LIVE_PARTS) }),
  /** The events after `after` are not stored any more: some may have been missed. */
  z.object({ type: z.literal("reset") }),
]);
export type StatusFrame = z.infer<typeof StatusFrame>;
