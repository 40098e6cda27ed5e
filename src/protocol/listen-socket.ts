// What an account listens to of an instance: one WebSocket from the worker to the object, which speaks one way.
import { z } from "zod";

/** Where the worker asks the object for it; query `ListenWish`. */
export const LISTEN_PATH = "/listen";

/** `subject`: whose stream; one at a time. `events`: types, null: all. `after`: id of the last event that was heard. */
export const ListenRequest = z.object({ subject: z.string(), events: z.array(z.string()).nullable(), after: z.string().nullable() });
export type ListenRequest = z.infer<typeof ListenRequest>;

export const ListenFrame = z.discriminatedUnion("type", [
  /** `json` is a whole Account API event, with this id. */
  z.object({ type: z.literal("event"), id: z.string(), event: z.string(), json: z.string() }),
  /** What came after the event that was named is not known any more: something may have been missed. */
  z.object({ type: z.literal("reset") }),
]);
export type ListenFrame = z.infer<typeof ListenFrame>;
