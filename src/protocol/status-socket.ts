// The dashboard's live view of a connection: a WebSocket from the worker to the object, which only sends.
import { z } from "zod";
import { INSTANCE_STATUSES } from "./connection.ts";

/** The path of the upgrade request; its query `user` is the id of who watches. Bridges use another one. */
export const STATUS_SOCKET_PATH = "/status";

/** The first frames are the current state: `status`, and `qr` when there is one to scan. */
export const StatusFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("status"), status: z.enum(INSTANCE_STATUSES), status_reason: z.string(), phone: z.string().nullable() }),
  /** `expires_at` is Unix seconds. */
  z.object({ type: z.literal("qr"), raw: z.string(), expires_at: z.number().int() }),
  /** `json` is a Connection API event without a delivery's `id`. */
  z.object({ type: z.literal("event"), json: z.string() }),
]);
export type StatusFrame = z.infer<typeof StatusFrame>;
