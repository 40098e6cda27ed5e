// The internal HTTP surface between bridge and worker. Every request carries `Authorization: Bearer <BRIDGE_SECRET>`,
// except the session socket, whose one-time ticket is its credential.
import { z } from "zod";

export const INTERNAL = {
  /** WebSocket: control socket to the pool. */
  bridges: "/internal/bridges",
  /** WebSocket: session socket, `Authorization: Ticket <ticket>`. */
  session: (connection: string) => `/internal/sessions/${connection}`,
  /** PUT stores incoming media (body: the bytes; Content-Length required) and answers `StoredMediaAnswer`. */
  mediaUpload: (connection: string) => `/internal/media/${connection}`,
  /** GET answers the bytes of outgoing media. */
  media: (connection: string, token: string) => `/internal/media/${connection}/${token}`,
} as const;

/** The largest file a bridge may upload: the platform's limit of a request body. Of a larger file only the metadata is stored. */
export const MAX_MEDIA_BYTES = 100_000_000;

/** Headers of an upload: `content-type`, and these. The filename is percent-encoded; `days`: how long to store it, 7 by default. */
export const MEDIA_HEADERS = { filename: "x-media-filename", sha256: "x-media-sha256", days: "x-media-days" } as const;

export const StoredMediaAnswer = z.object({ token: z.string(), size: z.number().int() });
