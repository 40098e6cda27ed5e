// Control socket frames. A bridge opens the control socket to the BridgePool object of its region.
import * as z from "zod";

// Proxy checks, with the pool's requests to a bridge and the bridge's results (docs/operate/proxies.md, "Proxies").
export const PROXY_PROTOCOLS = ["http", "https", "socks5"] as const;

export const PROXY_STATUSES = ["healthy", "degraded", "down", "unknown"] as const;
export type ProxyStatus = (typeof PROXY_STATUSES)[number];

/** None of these codes reveals an address. */
export const PROXY_ERRORS = [
  "address_not_allowed",
  "name_not_found",
  "connection_refused",
  "timeout",
  "credentials_refused",
  "proxy_refused",
  "tls_failed",
  "failed",
] as const;
export type ProxyError = (typeof PROXY_ERRORS)[number];

export const PROXY_CHECK_TIMEOUT_MS = 15_000;

/** `address` only checks that the proxy's address is public. `network` performs a handshake with the network's host through the proxy. */
export const ProxyCheck = z.object({
  check: z.string(),
  url: z.string(),
  reach: z.enum(["address", "network"]),
  /** The ticket for `/internal/exit-address`, which the bridge calls through the proxy. Null if the bridge should not call it. */
  exit_ticket: z.string().nullable(),
  /** A check that has been queued for longer is dropped without a result. By then, the pool has given up on it or will repeat it. */
  start_within_ms: z.number().int().positive(),
  /** True if a caller is waiting, so that the check runs before scheduled ones. */
  urgent: z.boolean(),
});
export type ProxyCheck = z.infer<typeof ProxyCheck>;

export const ExitAddress = z.object({ ip: z.string().max(64).nullable(), country: z.string().max(2).nullable() });
export type ExitAddress = z.infer<typeof ExitAddress>;

/** `latency_ms` is the duration of the whole handshake. `exit` is null when the exit address was not requested or not found. */
export const ProxyCheckResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), latency_ms: z.number().int().nonnegative(), exit: ExitAddress.nullable() }),
  z.object({ ok: z.literal(false), error: z.enum(PROXY_ERRORS).catch("failed") }),
]);
export type ProxyCheckResult = z.infer<typeof ProxyCheckResult>;

export type PastCheck = readonly [at: number, succeeded: 0 | 1];

// Network problems, counted per bridge. The counts are for the bridge's own metrics, and for the pool, which watches all bridges.

export const TROUBLE_KINDS = [
  /** Closed network sockets, counted by code. */
  "close",
  /** Stanzas (`ack`) and requests (`iq`) that the network refused, counted by code. */
  "ack",
  "iq",
  /** Messages that could not be decrypted. */
  "unread",
  /** Stanzas that could not be parsed, counted by tag. */
  "stanza",
  /** Stanzas with an unknown tag. */
  "unhandled",
  /** Files that could not be downloaded. */
  "file",
  /** Sockets that the bridge closed because they delivered nothing. */
  "deaf",
  /** App-state collections that could not be read. */
  "app_state",
] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** Within this window, a session is counted only once per kind and code. */
export const TROUBLE_WINDOW_MS = 600_000;
export const MAX_TROUBLES = 250;

/** `kind` is a string, because newer bridges may report other kinds. `total` counts since the start, and `sessions` within the window. */
export const Trouble = z.object({
  kind: z.string().max(20),
  code: z.string().max(40),
  total: z.number().int().nonnegative(),
  sessions: z.number().int().nonnegative(),
});
export type Trouble = z.infer<typeof Trouble>;

// The client version that bridges announce to the network (docs/operate/bridges.md, "Client version").

export const CLIENT_VERSION = /^\d{1,3}\.\d{1,6}\.\d{1,10}$/;
const version = z.string().regex(CLIENT_VERSION);

/** The operator's choice. `version` pins one version, and `max` limits the version that a look-up may choose. Null means not set. */
export const ClientVersionSetting = z.object({ version: version.nullable(), max: version.nullable() });
export type ClientVersionSetting = z.infer<typeof ClientVersionSetting>;

export const VERSION_SOURCES = ["set", "library", "served"] as const;

/** `set` was chosen by the operator. `library` is the library's own version, and `served` the network's web client version. */
export const AnnouncedVersion = z.object({ version, source: z.enum(VERSION_SOURCES) });
export type AnnouncedVersion = z.infer<typeof AnnouncedVersion>;

export const Placement = z.object({
  connection: z.string(),
  generation: z.number().int().positive(),
});
export type Placement = z.infer<typeof Placement>;

export const MAX_BRIDGE_CAPACITY = 10_000;

export const CONTROL_CLOSE = {
  /** Another process connected with the same credential. A process opens only one control socket. */
  replaced: 4001,
} as const;

/**
 * Bridge → pool. A bridge shows that it is alive every `LOAD_REPORT_INTERVAL_MS` by a `load` or, after the pool's `pings`, the text `PING`,
 * which does not wake the pool. With pings, `load` is sent only after a change of at least a tenth, and every `LOAD_REPEAT_MS`.
 */
export const FromBridgeControl = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    bridge_id: z.string(),
    network: z.enum(["real", "local"]),
    capacity: z.number().int().positive().max(MAX_BRIDGE_CAPACITY),
    sessions: z.array(Placement),
    /** In Unix ms on the bridge's clock. Distinguishes a new process from one that reconnected. */
    started_at: z.number().int().optional(),
    region: z.string().max(60).nullable().optional(),
    build: z.string().min(1).max(64).optional(),
    version: z.string().max(60).optional(),
    /** True if the bridge can send `PING` instead of `load`. */
    pings: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("load"),
    sessions: z.number().int().nonnegative(),
    rss_mb: z.number().nonnegative(),
    cpu: z.number().nonnegative(),
    /** The client version that its sessions will announce from now on. */
    client_version: AnnouncedVersion.optional(),
    /** The newest version that the bridge has found, even if it announces another one. Null if it has found none. */
    served_version: AnnouncedVersion.shape.version.nullable().optional(),
    /** Number of paired sessions whose network socket has been closed for at least `AWAY_AFTER_MS`. */
    away: z.number().int().nonnegative().optional(),
    troubles: z.array(Trouble).max(MAX_TROUBLES).optional(),
  }),
  /** The bridge itself ended a session, because the session was fenced or stopped. */
  z.object({ type: z.literal("gone"), placement: Placement }),
  z.object({ type: z.literal("proxy_checked"), check: z.string(), result: ProxyCheckResult }),
  /** After SIGTERM, the pool moves the sessions one after another within `grace_ms`. If it is absent or 0, the sessions end now. */
  z.object({ type: z.literal("draining"), grace_ms: z.number().int().nonnegative().optional() }),
]);
export type FromBridgeControl = z.infer<typeof FromBridgeControl>;

export const ToBridgeControl = z.discriminatedUnion("type", [
  /** Requests that the bridge open `/internal/sessions/<connection>` with this one-time ticket. Reconnects use the resume ticket. */
  z.object({ type: z.literal("open"), placement: Placement, ticket: z.string() }),
  z.object({ type: z.literal("close"), placement: Placement }),
  z.object({ type: z.literal("redial"), placement: Placement }),
  ProxyCheck.extend({ type: z.literal("check_proxy") }),
  z.object({ type: z.literal("drain") }),
  /** Answers a `hello` that offers pings. After this frame, the pool treats `PING` as a sign of life. */
  z.object({ type: z.literal("pings") }),
  ClientVersionSetting.extend({ type: z.literal("client_version") }),
]);
export type ToBridgeControl = z.infer<typeof ToBridgeControl>;

/** Time without a network socket after which a session is reported as away. Shorter outages usually end on their own. */
export const AWAY_AFTER_MS = 300_000;
export const LOAD_REPORT_INTERVAL_MS = 5_000;
export const LOAD_REPEAT_MS = 60_000;
/** A bridge that is silent for this long is considered dead. The pool places its sessions elsewhere within 15 s in total. */
export const BRIDGE_TIMEOUT_MS = 12_000;
