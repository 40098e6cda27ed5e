// Frames of the bridge's control socket, dialled to the BridgePool object of its region.
import { z } from "zod";
import { AnnouncedVersion, ClientVersionSetting } from "./bridge/client-version.ts";
import { ProxyCheck, ProxyCheckResult } from "./bridge/proxy-checks.ts";
import { MAX_TROUBLES, Trouble } from "./bridge/troubles.ts";

export const Placement = z.object({
  /** The connection's UUID: the name of its object. */
  connection: z.string(),
  generation: z.number().int().positive(),
});
export type Placement = z.infer<typeof Placement>;

/** More sessions than one process can hold, so that no bridge is given all. */
export const MAX_BRIDGE_CAPACITY = 10_000;

/** Close codes of this socket. */
export const CONTROL_CLOSE = {
  /** Another process has dialled in with the same credential. A process has one such socket at a time, so it is not the bridge itself. */
  replaced: 4001,
} as const;

/**
 * Bridge → pool. Every `LOAD_REPORT_INTERVAL_MS` a bridge gives a sign of life: a `load`, or, once the pool has said `pings`, the text `PING`,
 * which the platform answers without waking the pool. A `load` is then sent when it has changed by a tenth, and every `LOAD_REPEAT_MS`.
 */
export const FromBridgeControl = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    /** The id in the bridge's credential. */
    bridge_id: z.string(),
    network: z.enum(["real", "local"]),
    capacity: z.number().int().positive().max(MAX_BRIDGE_CAPACITY),
    /** Sessions it still holds (after a redial). */
    sessions: z.array(Placement),
    /** When the process started, Unix ms by its own clock: tells a new process from one that dials again. Absent: of an earlier release. */
    started_at: z.number().int().optional(),
    /** Where it runs, if it has been told. */
    region: z.string().max(60).nullable().optional(),
    /** What it runs: the image, and the versions within. Absent: of an earlier release. */
    build: z.string().min(1).max(64).optional(),
    version: z.string().max(60).optional(),
    /** It would ping, were that a sign of life. Absent: of an earlier release. */
    pings: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("load"),
    sessions: z.number().int().nonnegative(),
    rss_mb: z.number().nonnegative(),
    cpu: z.number().nonnegative(),
    /** What its sessions announce from now on. Absent: of an earlier release. */
    client_version: AnnouncedVersion.optional(),
    /** The newest that its look-ups have found, also when another one is announced; null: none. */
    served_version: AnnouncedVersion.shape.version.nullable().optional(),
    /** Paired sessions without a line for `AWAY_AFTER_MS`. Absent, as what follows: of an earlier release. */
    away: z.number().int().nonnegative().optional(),
    troubles: z.array(Trouble).max(MAX_TROUBLES).optional(),
  }),
  /** The bridge released a session by itself (fenced, stopped). */
  z.object({ type: z.literal("gone"), placement: Placement }),
  /** The answer to `check_proxy`. */
  z.object({ type: z.literal("proxy_checked"), check: z.string(), result: ProxyCheckResult }),
  /** SIGTERM was received: the pool has to place the sessions elsewhere. */
  z.object({ type: z.literal("draining") }),
]);
export type FromBridgeControl = z.infer<typeof FromBridgeControl>;

/** Pool → bridge. */
export const ToBridgeControl = z.discriminatedUnion("type", [
  /** Dial `/internal/sessions/<connection>` with this ticket (once; later dials use the resume ticket). */
  z.object({ type: z.literal("open"), placement: Placement, ticket: z.string() }),
  z.object({ type: z.literal("close"), placement: Placement }),
  /** Somebody waits for this session, whose socket is gone: dial again now. A bridge of an earlier release does not know it. */
  z.object({ type: z.literal("redial"), placement: Placement }),
  /** Answered by `proxy_checked`. */
  ProxyCheck.extend({ type: z.literal("check_proxy") }),
  z.object({ type: z.literal("drain") }),
  /** Answers a `hello` that offers pings: they count. A pool of an earlier release does not say it, and wants each `load`. */
  z.object({ type: z.literal("pings") }),
  /** Sent after `hello` and whenever it is set; not before it was set for the first time. */
  ClientVersionSetting.extend({ type: z.literal("client_version") }),
]);
export type ToBridgeControl = z.infer<typeof ToBridgeControl>;

/** A session whose line is gone for this long is away: what is shorter mends itself. */
export const AWAY_AFTER_MS = 300_000;
export const LOAD_REPORT_INTERVAL_MS = 5_000;
export const LOAD_REPEAT_MS = 60_000;
/** A bridge that has been silent for this long counts as dead, and its sessions are placed elsewhere, within 15 s in all. */
export const BRIDGE_TIMEOUT_MS = 12_000;
