// Frames of the control socket, which a bridge opens to the BridgePool object of its region.
import * as z from "zod";
import { AnnouncedVersion, ClientVersionSetting } from "./bridge/client-version.ts";
import { ProxyCheck, ProxyCheckResult } from "./bridge/proxy-checks.ts";
import { MAX_TROUBLES, Trouble } from "./bridge/troubles.ts";

export const Placement = z.object({
  connection: z.string(),
  generation: z.number().int().positive(),
});
export type Placement = z.infer<typeof Placement>;

export const MAX_BRIDGE_CAPACITY = 10_000;

export const CONTROL_CLOSE = {
  /** Another process connected with the same credential: a process opens only one control socket. */
  replaced: 4001,
} as const;

/**
 * Bridge → pool. A bridge shows that it is alive every `LOAD_REPORT_INTERVAL_MS`: with a `load`, or, after the pool sent `pings`, with the
 * text `PING`, to which the platform responds without waking the pool. From then on it sends a `load` when the load changed by a tenth, and
 * every `LOAD_REPEAT_MS`.
 */
export const FromBridgeControl = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    bridge_id: z.string(),
    network: z.enum(["real", "local"]),
    capacity: z.number().int().positive().max(MAX_BRIDGE_CAPACITY),
    sessions: z.array(Placement),
    /** Unix ms by the bridge's clock. Distinguishes a new process from one that reconnected. */
    started_at: z.number().int().optional(),
    region: z.string().max(60).nullable().optional(),
    build: z.string().min(1).max(64).optional(),
    version: z.string().max(60).optional(),
    /** Whether the bridge can send `PING` instead of `load`. */
    pings: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("load"),
    sessions: z.number().int().nonnegative(),
    rss_mb: z.number().nonnegative(),
    cpu: z.number().nonnegative(),
    /** The client version that its sessions will announce from now on. */
    client_version: AnnouncedVersion.optional(),
    /** The newest version that the bridge found, even when it announces another one; null when it found none. */
    served_version: AnnouncedVersion.shape.version.nullable().optional(),
    /** Number of paired sessions whose network socket has been closed for at least `AWAY_AFTER_MS`. */
    away: z.number().int().nonnegative().optional(),
    troubles: z.array(Trouble).max(MAX_TROUBLES).optional(),
  }),
  /** The bridge ended a session on its own, because it was fenced or stopped. */
  z.object({ type: z.literal("gone"), placement: Placement }),
  z.object({ type: z.literal("proxy_checked"), check: z.string(), result: ProxyCheckResult }),
  /** The bridge received SIGTERM, so the pool places its sessions elsewhere. */
  z.object({ type: z.literal("draining") }),
]);
export type FromBridgeControl = z.infer<typeof FromBridgeControl>;

export const ToBridgeControl = z.discriminatedUnion("type", [
  /** Tells the bridge to open `/internal/sessions/<connection>` with this one-time ticket; reconnects use the resume ticket. */
  z.object({ type: z.literal("open"), placement: Placement, ticket: z.string() }),
  z.object({ type: z.literal("close"), placement: Placement }),
  z.object({ type: z.literal("redial"), placement: Placement }),
  ProxyCheck.extend({ type: z.literal("check_proxy") }),
  z.object({ type: z.literal("drain") }),
  /** Answers a `hello` that offers pings: from now on, `PING` counts as a sign of life. */
  z.object({ type: z.literal("pings") }),
  ClientVersionSetting.extend({ type: z.literal("client_version") }),
]);
export type ToBridgeControl = z.infer<typeof ToBridgeControl>;

/** Shorter outages resolve without help. */
export const AWAY_AFTER_MS = 300_000;
export const LOAD_REPORT_INTERVAL_MS = 5_000;
export const LOAD_REPEAT_MS = 60_000;
/** A silent bridge counts as dead after this time. The pool places its sessions elsewhere within 15 s in total. */
export const BRIDGE_TIMEOUT_MS = 12_000;
