// The internal HTTP surface between bridge and worker. Every request carries `Authorization: Bearer <the bridge's credential>`.
import { z } from "zod";

/** The pool of a deployment without shards, and of every connection that was made before it had some. */
export const DEFAULT_POOL = "default";

export const INTERNAL = {
  /** WebSocket: control socket to the pool that `?pool=` names, without it `default`. */
  bridges: "/internal/bridges",
  /** GET `?region=` answers `BridgeHome`: the pool that lacks bridges most, there or nearby. */
  home: "/internal/bridges/home",
  /** GET answers `ExitAddress` of whoever asks; with the ticket of a check in place of the bridge's credential, because proxies see it. */
  exitAddress: "/internal/exit-address",
  /** WebSocket: session socket; also needs `SESSION_TICKET_HEADER`. */
  session: (connection: string) => `/internal/sessions/${connection}`,
  /** PUT stores incoming media (body: the bytes; Content-Length required) and answers `StoredMediaAnswer`. */
  mediaUpload: (connection: string) => `/internal/media/${connection}`,
  /** GET answers the bytes of outgoing media. */
  media: (connection: string, token: string) => `/internal/media/${connection}/${token}`,
} as const;

/** A one-time ticket of the connection, given to this bridge. */
export const SESSION_TICKET_HEADER = "x-session-ticket";

/** `brg_<bridge's id>[@<pool>].<key id>.<mac>`. What a bridge does is done under the id in its credential, in the pool that it names. */
export const BRIDGE_CREDENTIAL = /^brg_(?<bridge>[\w.-]{1,100})(?:@(?<pool>[a-z]{1,10}\/\d{1,3}))?\.\d{1,3}\.[\w-]{43}$/;

/** What a bridge whose credential names no pool belongs to, and the credential for it. `pool` `default`: its own is the one. */
export const BridgeHome = z.object({ pool: z.string(), credential: z.string().regex(BRIDGE_CREDENTIAL) });
export type BridgeHome = z.infer<typeof BridgeHome>;

/** The largest file a bridge may upload: the platform's limit of a request body. Of a larger file only the metadata is stored. */
export const MAX_MEDIA_BYTES = 100_000_000;

/** Headers of an upload: `content-type`, and these. The filename is percent-encoded; `days`: how long to store it, 7 by default. */
export const MEDIA_HEADERS = { filename: "x-media-filename", sha256: "x-media-sha256", days: "x-media-days" } as const;

export const StoredMediaAnswer = z.object({ token: z.string(), size: z.number().int() });
