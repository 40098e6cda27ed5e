// What a person at the dashboard watches of a connection: one WebSocket from the worker to the object, which speaks one way.
import { z } from "zod";
import { INSTANCE_STATUSES } from "./connection.ts";

/** Where the worker asks the object for it; bridges dial under another path. */
export const STATUS_SOCKET_PATH = "/status";

/** A new watcher hears first how things are: `status`, and `qr` when there is one to scan. */
export const StatusFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("status"), status: z.enum(INSTANCE_STATUSES), status_reason: z.string(), phone: z.string().nullable() }),
  /** `expires_at` is Unix seconds. */
  z.object({ type: z.literal("qr"), raw: z.string(), expires_at: z.number().int() }),
  /** `json` is a Connection API event without a delivery's `id`. */
  z.object({ type: z.literal("event"), json: z.string() }),
]);
export type StatusFrame = z.infer<typeof StatusFrame>;
