// The dashboard's live view of a connection, over a WebSocket from the worker to the object. Only the object sends.
import * as z from "zod";
import { INSTANCE_STATUSES } from "./connection.ts";
import { HistoryProgress } from "./records.ts";
import { MINUTE_MS } from "./units.ts";

export const STATUS_SOCKET_PATH = "/status";

/** `chats` means changes of which no event exists. */
const LIVE_PARTS = ["requests", "deliveries", "waiting", "chats"] as const;
export type LivePart = (typeof LIVE_PARTS)[number];

/** `pairing` sends the data for pairing a number, without events. `status` sends only the status. */
const VIEWS = ["all", "pairing", "status"] as const;

export const StatusSocketRequest = z.object({ user: z.string(), view: z.enum(VIEWS), after: z.string().nullable() });
export type StatusSocketRequest = z.infer<typeof StatusSocketRequest>;

export const WATCH_CLOSE = { notAllowed: 1008, crowdedOut: 1013 } as const;

/** The current state comes first: `status`, then `qr` and `history` if they exist. The events after `after`, or `reset`, follow. */
export const StatusFrame = z.discriminatedUnion("type", [
  /** `id` is the stream's starting position in the events. Only the first frame has it. */
  z.object({
    type: z.literal("status"),
    id: z.string().optional(),
    status: z.enum(INSTANCE_STATUSES),
    status_reason: z.string(),
    phone: z.string().nullable(),
  }),
  z.object({ type: z.literal("qr"), raw: z.string(), expires_at: z.number().int() }),
  z.object({ type: z.literal("history"), ...HistoryProgress.shape }),
  /** `json` is a Connection API event without a delivery id. */
  z.object({ type: z.literal("event"), id: z.string(), json: z.string() }),
  z.object({ type: z.literal("changed"), part: z.enum(LIVE_PARTS) }),
  /** Events after `after` have been deleted, so the client may have missed some. */
  z.object({ type: z.literal("reset") }),
]);
export type StatusFrame = z.infer<typeof StatusFrame>;

// The Account API's event stream, over a WebSocket from the worker to the object. Only the object sends.
export const EVENT_SOCKET_PATH = "/events";

/** Each `subject` may have one stream at a time. `events` are the types, or null for all. `after` is the id of the last received event. */
export const EventSocketRequest = z.object({
  subject: z.string(),
  user: z.string(),
  events: z.array(z.string()).nullable(),
  after: z.string().nullable(),
});
export type EventSocketRequest = z.infer<typeof EventSocketRequest>;

export const EventFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("event"), id: z.string(), event: z.string(), json: z.string() }),
  /** Events after `after` have been deleted, so the client may have missed some. */
  z.object({ type: z.literal("reset") }),
]);
export type EventFrame = z.infer<typeof EventFrame>;

// The stream of a durable listener: the worker pulls events from the object, so that a slow reader does not fill the worker's memory.
export const LISTENER_SOCKET_PATH = "/listener";

/** `streamMs` is the longest life of one stream. `leaseMs` says how long a listener lives without a stream. */
export const LISTENER_TIMES = { streamMs: 5 * MINUTE_MS, leaseMs: 15 * MINUTE_MS } as const;

/** The object closes a stream's socket with this code when another stream of the same listener opens. */
export const LISTENER_TAKEN = 1013;

/** A place is an event's number times this step, plus a remainder from the time of the event. */
export const PLACE_STEP = 10_000;

export const ListenerSocketRequest = z.object({ id: z.string() });
export type ListenerSocketRequest = z.infer<typeof ListenerSocketRequest>;

/** `after` is a place. `received` means that the reader has everything up to it, so the object may delete those events. */
export const ListenerPull = z.object({ after: z.number().int().min(0), received: z.boolean() });
export type ListenerPull = z.infer<typeof ListenerPull>;

const PulledEvent = z.object({ place: z.number().int(), event: z.string(), json: z.string() });
export type PulledEvent = z.infer<typeof PulledEvent>;

export const ListenerFrame = z.discriminatedUnion("type", [
  /** Tells the worker that new events are stored. */
  z.object({ type: z.literal("more") }),
  /** The answer to a pull. `gap` means that events between `after` and the first event of this batch were dropped. Times are in Unix ms. */
  z.object({
    type: z.literal("batch"),
    gap: z.object({ missed: z.number().int(), since: z.number().int().nullable(), until: z.number().int().nullable() }).nullable(),
    events: z.array(PulledEvent),
  }),
]);
export type ListenerFrame = z.infer<typeof ListenerFrame>;
