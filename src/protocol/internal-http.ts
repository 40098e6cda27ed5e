// The internal HTTP API between bridge and worker. Every request carries `Authorization: Bearer <the bridge's credential>`.
import * as z from "zod";

/** The pool of a deployment without shards, and of connections created before the first shard. */
export const DEFAULT_POOL = "default";

export const INTERNAL = {
  /** WebSocket for the control socket. It belongs to the pool in `?pool=`, or to `default` if that is absent. */
  bridges: "/internal/bridges",
  /** GET with `?region=` returns `BridgeHome`: the nearby pool that needs bridges most. */
  home: "/internal/bridges/home",
  /** Returns the caller's `ExitAddress`. Requires a ticket, not the credential, because proxies see the request. */
  exitAddress: "/internal/exit-address",
  /** WebSocket for the session socket. It also needs `SESSION_TICKET_HEADER`. */
  session: (connection: string) => `/internal/sessions/${connection}`,
  /** PUT stores incoming media and returns `StoredMediaResponse`. It needs `Content-Length`. */
  mediaUpload: (connection: string) => `/internal/media/${connection}`,
  media: (connection: string, token: string) => `/internal/media/${connection}/${token}`,
} as const;

export const SESSION_TICKET_HEADER = "x-session-ticket";

/** `brg_<bridge id>[@<pool>].<key id>.<mac>`. The credential determines the bridge's id and pool. */
export const BRIDGE_CREDENTIAL = /^brg_(?<bridge>[\w.-]{1,100})(?:@(?<pool>[a-z]{1,10}\/\d{1,3}))?\.\d{1,3}\.[\w-]{43}$/;

/** Returned to a bridge whose credential contains no pool. If `pool` is `default`, the bridge keeps its own credential. */
export const BridgeHome = z.object({ pool: z.string(), credential: z.string().regex(BRIDGE_CREDENTIAL) });
export type BridgeHome = z.infer<typeof BridgeHome>;

/** The platform's limit on a request body. For a larger file, only the metadata is stored. */
export const MAX_MEDIA_BYTES = 100_000_000;

/** The filename is percent-encoded. `days` says how long to store the file (7 by default). */
export const MEDIA_HEADERS = { filename: "x-media-filename", sha256: "x-media-sha256", days: "x-media-days" } as const;

export const StoredMediaResponse = z.object({ token: z.string(), size: z.number().int() });
