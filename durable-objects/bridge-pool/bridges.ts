// The bridges that have connected, and when each counts as dead.
import type { AnnouncedVersion } from "../../src/protocol/bridge/client-version.ts";
import { BRIDGE_TIMEOUT_MS, type FromBridgeControl } from "../../src/protocol/bridge-socket.ts";

/** How long a bridge may take to reconnect after its socket closed. */
export const RECONNECT_MS = 3_000;
/** After a restart of the pool itself (deploy, crash) all sockets closed at once, so bridges get longer. */
export const RECONNECT_AFTER_RESTART_MS = 10_000;

export type Bridge = {
  id: string;
  network: "real" | "local";
  capacity: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: boolean;
  /** Its sessions leave also when no other bridge has room for them. */
  drainForced: boolean;
  lastSeenAt: number;
  detachedAt: number | null;
  /** Of its process, by its own clock; null: it is of an earlier release. */
  startedAt: number | null;
  region: string | null;
  /** Null: it is of an earlier release. */
  build: string | null;
  version: string | null;
  /** Null: it does not say, as one of an earlier release. */
  clientVersion: AnnouncedVersion | null;
  /** The newest that it has looked up. */
  servedVersion: string | null;
};

type Row = {
  id: string;
  network: "real" | "local";
  capacity: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: number;
  drain_forced: number;
  heard_at: number;
  detached_at: number | null;
  started_at: number | null;
  region: string | null;
  build: string | null;
  version: string | null;
  client_version: string | null;
  client_version_source: AnnouncedVersion["source"] | null;
  served_version: string | null;
};
type Hello = Extract<FromBridgeControl, { type: "hello" }>;
type Load = Extract<FromBridgeControl, { type: "load" }>;

/** In `register`: the bridge's hello is of the process that is stored. */
const SAME_PROCESS = "CASE WHEN ?6 IS NULL THEN ?4 > 0 ELSE started_at IS ?6 END";

export class Bridges {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Bridge[] {
    return this.#sql
      .exec<Row>("SELECT * FROM bridge ORDER BY id")
      .toArray()
      .map(
        ({
          heard_at,
          detached_at,
          draining,
          drain_forced,
          started_at,
          client_version: announced,
          client_version_source: source,
          served_version: servedVersion,
          ...row
        }) => ({
          ...row,
          draining: draining === 1,
          drainForced: drain_forced === 1,
          lastSeenAt: heard_at,
          detachedAt: detached_at,
          startedAt: started_at,
          clientVersion: announced === null || source === null ? null : { version: announced, source },
          servedVersion,
        }),
      );
  }

  /** The ids of those on this network that are connected and stay. */
  usable(network: Bridge["network"]): string[] {
    return this.all()
      .filter((bridge) => bridge.network === network && !bridge.draining && bridge.detachedAt === null)
      .map(({ id }) => id);
  }

  /**
   * A bridge's hello. A new process is no longer draining, nor forced to; one that dials again keeps its state. Of an earlier release no
   * start is known: one without sessions counts as new. `now` in Unix ms.
   */
  register({ bridge_id, network, capacity, sessions, started_at: startedAt, region, build, version }: Hello, now: number): void {
    this.#sql.exec(
      `INSERT INTO bridge (id, network, capacity, sessions, rss_mb, cpu, draining, heard_at, detached_at, started_at, region, build, version)
       VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5, NULL, ?6, ?7, ?8, ?9)
       ON CONFLICT (id) DO UPDATE SET network = ?2, capacity = ?3, sessions = ?4,
         draining = CASE WHEN ${SAME_PROCESS} THEN draining ELSE 0 END,
         drain_forced = CASE WHEN ${SAME_PROCESS} THEN drain_forced ELSE 0 END,
         heard_at = ?5, detached_at = NULL, started_at = ?6, region = ?7, build = ?8, version = ?9`,
      bridge_id,
      network,
      capacity,
      sessions.length,
      now,
      startedAt ?? null,
      region ?? null,
      build ?? null,
      version ?? null,
    );
  }

  recordLoad(id: string, load: Load, now: number): void {
    this.#sql.exec(
      "UPDATE bridge SET sessions = ?, rss_mb = ?, cpu = ?, client_version = ?, client_version_source = ?, served_version = ?, heard_at = ? WHERE id = ?",
      load.sessions,
      load.rss_mb,
      load.cpu,
      load.client_version?.version ?? null,
      load.client_version?.source ?? null,
      load.served_version ?? null,
      now,
      id,
    );
  }

  drain(id: string, forced: boolean): void {
    this.#sql.exec("UPDATE bridge SET draining = 1, drain_forced = ? WHERE id = ?", forced ? 1 : 0, id);
  }

  /** Its socket closed at `at`. */
  detach(id: string, at: number): void {
    this.#sql.exec("UPDATE bridge SET detached_at = ? WHERE id = ? AND detached_at IS NULL", at, id);
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM bridge WHERE id = ?", id);
  }
}

/** When the bridge counts as dead unless it is seen again (Unix ms). */
export function deadAt({ lastSeenAt, detachedAt }: Bridge): number {
  return detachedAt === null ? lastSeenAt + BRIDGE_TIMEOUT_MS : detachedAt + RECONNECT_MS;
}
