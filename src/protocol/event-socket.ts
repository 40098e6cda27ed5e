// The event stream of the Account API: a WebSocket from the worker to the object, which only sends.
import { z } from "zod";

/** The path of the upgrade request; its query `request` is an `EventSocketRequest`. */
export const EVENT_SOCKET_PATH = "/events";

/** `subject`: whose stream; one at a time. `user`: the id of the user behind it. `events`: types, null: all. `after`: id of the last received event. */
export const EventSocketRequest = z.object({
  subject: z.string(),
  user: z.string(),
  events: z.array(z.string()).nullable(),
  after: z.string().nullable(),
});
export type EventSocketRequest = z.infer<typeof EventSocketRequest>;

export const EventFrame = z.discriminatedUnion("type", [
  /** `json` is a whole Account API event, with this id. */
  z.object({ type: z.literal("event"), id: z.string(), event: z.string(), json: z.string() }),
  /** The events after `after` are not stored any more: some may have been missed. */
  z.object({ type: z.literal("reset") }),
]);
export type EventFrame = z.infer<typeof EventFrame>;
