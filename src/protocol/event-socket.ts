// What an account listens to of an instance: one WebSocket from the worker to the object, which speaks one way.
import { z } from "zod";

/** Where the worker asks the object for it; query `ListenWish`. */
export const EVENT_SOCKET_PATH = "/events";

/** `subject`: whose stream; one at a time. `events`: types, null: all. `after`: id of the last event that was heard. */
export const EventSocketRequest = z.object({ subject: z.string(), events: z.array(z.string()).nullable(), after: z.string().nullable() });
export type EventSocketRequest = z.infer<typeof EventSocketRequest>;

export const EventFrame = z.discriminatedUnion("type", [
  /** `json` is a whole Account API event, with this id. */
  z.object({ type: z.literal("event"), id: z.string(), event: z.string(), json: z.string() }),
  /** What came after the event that was named is not known any more: something may have been missed. */
  z.object({ type: z.literal("reset") }),
]);
export type EventFrame = z.infer<typeof EventFrame>;
