// The typed stub of a pool of bridges: the deployment's own, or one of its shards (docs/internals/bridges.md, "Shards of the pool").
import type { Alarm } from "@gateway/domain/fleet/alarms.ts";
import type { Rollout } from "@gateway/domain/fleet/rollout.ts";
import { regionOfPool } from "@gateway/domain/fleet/shards.ts";
import type { Env } from "../../env.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { Trouble } from "@gateway/protocol/bridge/troubles.ts";
import type { AnnouncedVersion, ClientVersionSetting } from "@gateway/protocol/bridge/client-version.ts";
import type { ProxyCheckResult } from "@gateway/protocol/bridge/proxy-checks.ts";

/** A bridge as administrators see it. Times in Unix ms. `assigned`: sessions it was given; `sessions`: those it says it holds. */
export type BridgeView = {
  id: string;
  network: "real" | "local";
  capacity: number;
  assigned: number;
  sessions: number;
  rss_mb: number;
  /** Share of one core. */
  cpu: number;
  draining: boolean;
  connected: boolean;
  /** By the bridge's own clock; null: it does not say. */
  started_at: number | null;
  region: string | null;
  /** Null: it is of an earlier release. */
  build: string | null;
  version: string | null;
  /** What its sessions announce; null: it does not say. */
  client_version: AnnouncedVersion | null;
  /** The newest that it has looked up; null: none. */
  served_version: string | null;
  last_seen_at: number;
};

/** `queued`: no bridge has room yet. `turn_ms`: how long it may take until it is the session's turn at its bridge; absent: it is at once. */
export type Placed = { queued: boolean; turn_ms?: number };

/** A session has moved, or is on its way: `arrived` when it has been taken over. */
export type Moved = { from: string; to: string; arrived: boolean };

/** `rejectedFor`: the trouble for which the pool itself took its share back. Times in Unix ms. */
export type StoredRollout = Rollout & { changedAt: number; rejectedFor: string | null };

/** All bridges together, by what they last reported. */
export type FleetView = { sessions: number; away: number; troubles: Trouble[]; alarms: Alarm[]; rollout: StoredRollout | null };

/** Alarms by name, and owners of numbers that are away, of whom this pool is about to mail. */
export type MailClaim = { pool: string; raised: string[]; over: string[]; owners: string[] };

/** Asked by the worker alone: what bridges ask for arrives with the deployment's own address. */
export const PROXY_WATCH_URL = "https://pool/proxies";

export type BridgePoolStub = {
  /** The upgrade of a bridge's control socket, or, at `PROXY_WATCH_URL`, of one that is told whenever proxies were checked. */
  fetch(request: Request): Promise<Response>;
  /** Requests a bridge for a session, which dials the connection's object with the ticket. */
  place(request: { connection: string; generation: number; ticket: string }): Promise<Placed>;
  /** Releases all sessions of a connection below this generation. */
  release(ended: { connection: string; below: number }): Promise<void>;
  /** Has the bridge of a session whose socket is gone dial again now; false when it could not be told. */
  redial(session: { connection: string; generation: number }): Promise<boolean>;
  /** The bridges that are known. */
  list(): Promise<{ bridges: BridgeView[] }>;
  /**
   * Moves a session to the bridge `to`, or to the least loaded other one. Fails `instance_not_connected`, `bridge_not_found`,
   * `already_on_bridge`, `bridge_draining`, `bridge_full`.
   */
  move(connection: string, to: string | null): Promise<Outcome<Moved>>;
  /** Begins to move all sessions off the bridge, which then ends. Fails `bridge_not_found`, without `force` also `bridge_full`. */
  drain(bridge: string, force: boolean): Promise<Outcome<{ sessions: number }>>;
  /** The whole fleet's troubles and alarms, and the build that has a share. */
  fleet(): Promise<FleetView>;
  /** Gives a build its share of the sessions, also before a bridge runs it; null: no build is anything special. */
  setRollout(rollout: Rollout | null): Promise<{ before: StoredRollout | null }>;
  /** A number has been away for an hour. True: so are many, and its owner gets one mail for all of them from the pool. */
  takeAway(connection: string): Promise<boolean>;
  clientVersion(): Promise<ClientVersionSetting>;
  /** Tells all bridges; answers what was set before. */
  setClientVersion(setting: ClientVersionSetting): Promise<ClientVersionSetting>;
  /** Has a bridge check the proxy now, and writes what it says; false when no bridge has answered. */
  checkProxy(id: string): Promise<boolean>;
  /** Has a bridge judge where the host of an address leads; null when no bridge has answered. */
  judgeProxy(url: string): Promise<ProxyCheckResult | null>;
  /** Asked of `default` by every pool of several: what of it that one is to mail, and not another one. */
  claimMails(claim: MailClaim): Promise<Omit<MailClaim, "pool">>;
  /** Called by a shard that has checked proxies: whoever watches them asks `default`. */
  proxiesChecked(): Promise<void>;
  /** Starts bridges where too few are running; wakes the pool, which then runs overdue work. */
  keepBridges(): Promise<void>;
};

/** The pool of this name, null: the one of a deployment without shards. A shard is put into its region by whoever names it first. */
export function poolOf(env: Pick<Env, "BRIDGE_POOL">, home: string | null): BridgePoolStub {
  const name = home ?? DEFAULT_POOL;
  const region = regionOfPool(name);
  return (region === null
    ? env.BRIDGE_POOL.getByName(name)
    : env.BRIDGE_POOL.getByName(name, { locationHint: region })) as unknown as BridgePoolStub;
}
