// The stub for a bridge pool: the deployment's only one, or one of its shards (docs/internals/bridges.md, "Shards of the pool").
import type { Alarm } from "@gateway/domain/fleet/alarms.ts";
import type { Rollout } from "@gateway/domain/fleet/rollout.ts";
import { locationOf } from "@gateway/domain/fleet/locations.ts";
import type { Env } from "../../env.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { Trouble, AnnouncedVersion, ClientVersionSetting, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";

/** A bridge for administrators. Times are in Unix ms. `assigned` counts assigned sessions, and `sessions` those that it reports. */
export type BridgeView = {
  id: string;
  network: "real" | "local";
  capacity: number;
  assigned: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: boolean;
  connected: boolean;
  /** True if the bridge runs in a container started by this deployment. */
  container: boolean;
  started_at: number | null;
  region: string | null;
  build: string | null;
  version: string | null;
  client_version: AnnouncedVersion | null;
  served_version: string | null;
  last_seen_at: number;
};

/** `queued` means that no bridge has capacity yet. `wait_ms` is how long the session may have to wait for others on its bridge. */
export type Placed = { queued: boolean; wait_ms?: number };

export type Moved = { from: string; to: string; arrived: boolean };

/** `rejectedFor` says why the pool rejected the build. Times are in Unix ms. */
export type StoredRollout = Rollout & { changedAt: number; rejectedFor: string | null };

export type FleetView = { sessions: number; away: number; troubles: Trouble[]; alarms: Alarm[]; rollout: StoredRollout | null };

/** The pool's pending emails: alarms by name, and the owners of offline numbers. */
export type MailClaim = { pool: string; raised: string[]; over: string[]; owners: string[] };

export const PROXY_WATCH_URL = "https://pool/proxies";

export type BridgePoolStub = {
  /** Upgrades a bridge's control socket, or, at `PROXY_WATCH_URL`, a socket that is notified after proxy checks. */
  fetch(request: Request): Promise<Response>;
  place(request: { connection: string; generation: number; ticket: string }): Promise<Placed>;
  release(ended: { connection: string; below: number }): Promise<void>;
  /** Requests that the session's bridge reconnect now. Returns false if the bridge could not be reached. */
  redial(session: { connection: string; generation: number }): Promise<boolean>;
  /** `queued` counts sessions that wait for a bridge. */
  list(): Promise<{ bridges: BridgeView[]; queued: number }>;
  /** Fails with `instance_not_connected`, `bridge_not_found`, `already_on_bridge`, `bridge_draining` or `bridge_full`. */
  move(connection: string, to: string | null): Promise<Outcome<Moved>>;
  /** Starts to move all sessions off the bridge, which then exits. Fails with `bridge_not_found` and, without `force`, `bridge_full`. */
  drain(bridge: string, force: boolean): Promise<Outcome<{ sessions: number }>>;
  /** Fails with `bridge_not_found`, `bridge_elsewhere` (no container of this deployment) or `unavailable`. */
  restart(bridge: string): Promise<Outcome<{ sessions: number }>>;
  /** The bridge's metrics page. Fails for the same reasons as `restart`. */
  metrics(bridge: string): Promise<Outcome<string>>;
  fleet(): Promise<FleetView>;
  /** Sets a build's share of the sessions, even if no bridge runs the build yet. Null ends the rollout. */
  setRollout(rollout: Rollout | null): Promise<{ before: StoredRollout | null }>;
  /** Reports a number that has been offline for an hour. Returns true if many are, and then the pool emails the owners. */
  takeAway(connection: string): Promise<boolean>;
  clientVersion(): Promise<ClientVersionSetting>;
  setClientVersion(setting: ClientVersionSetting): Promise<ClientVersionSetting>;
  checkProxy(id: string): Promise<boolean>;
  judgeProxy(url: string): Promise<ProxyCheckResult | null>;
  /** Every pool calls this on the `default` pool, so that only one of them sends each email. */
  claimMails(claim: MailClaim): Promise<Omit<MailClaim, "pool">>;
  /** A shard calls this on the `default` pool after it has checked proxies, because watchers connect to that pool. */
  proxiesChecked(): Promise<void>;
  keepBridges(): Promise<void>;
};

/** If `home` is null, returns the pool of a deployment without shards. The first call creates the object in its region. */
export function poolOf(env: Pick<Env, "BRIDGE_POOL" | "REGION">, home: string | null): BridgePoolStub {
  const name = home ?? DEFAULT_POOL;
  const locationHint = locationOf(home, env.REGION);
  return (locationHint === null
    ? env.BRIDGE_POOL.getByName(name)
    : env.BRIDGE_POOL.getByName(name, { locationHint })) as unknown as BridgePoolStub;
}
