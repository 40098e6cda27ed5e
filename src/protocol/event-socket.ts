// The event stream of the Account API: a WebSocket from the worker to the object. Only the object sends on it.
import * as z from "zod";

export const EVENT_SOCKET_PATH = "/events";

/** `subject`: has one stream at a time. `events`: types; null: all. `after`: id of the last received event. */
export const EventSocketRequest = z.object({
  subject: z.string(),
  user: z.string(),
  events: z.array(z.string()).nullable(),
  after: z.string().nullable(),
});
export type EventSocketRequest = z.infer<typeof EventSocketRequest>;

export const EventFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("event"), id: z.string(), event: z.string(), json: z.string() }),
  /** Events after `after` were already deleted, so the client may have missed some. */
  z.object({ type: z.literal("reset") }),
]);
export type EventFrame = z.infer<typeof EventFrame>;
