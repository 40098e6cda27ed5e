// The bridges that have connected, and when each counts as dead.
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
  lastSeenAt: number;
  detachedAt: number | null;
};

type Row = {
  id: string;
  network: "real" | "local";
  capacity: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: number;
  heard_at: number;
  detached_at: number | null;
};
type Hello = Extract<FromBridgeControl, { type: "hello" }>;
type Load = Extract<FromBridgeControl, { type: "load" }>;

export class Bridges {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Bridge[] {
    return this.#sql
      .exec<Row>("SELECT * FROM bridge ORDER BY id")
      .toArray()
      .map(({ heard_at, detached_at, draining, ...row }) => ({
        ...row,
        draining: draining === 1,
        lastSeenAt: heard_at,
        detachedAt: detached_at,
      }));
  }

  /** A bridge's hello. A new process (no sessions) is no longer draining; a reconnect keeps its state. `now` in Unix ms. */
  register({ bridge_id, network, capacity, sessions }: Hello, now: number): void {
    this.#sql.exec(
      `INSERT INTO bridge (id, network, capacity, sessions, rss_mb, cpu, draining, heard_at, detached_at) VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5, NULL)
       ON CONFLICT (id) DO UPDATE SET network = ?2, capacity = ?3, sessions = ?4, draining = CASE WHEN ?4 = 0 THEN 0 ELSE draining END,
         heard_at = ?5, detached_at = NULL`,
      bridge_id,
      network,
      capacity,
      sessions.length,
      now,
    );
  }

  recordLoad(id: string, load: Load, now: number): void {
    this.#sql.exec(
      "UPDATE bridge SET sessions = ?, rss_mb = ?, cpu = ?, heard_at = ? WHERE id = ?",
      load.sessions,
      load.rss_mb,
      load.cpu,
      now,
      id,
    );
  }

  drain(id: string): void {
    this.#sql.exec("UPDATE bridge SET draining = 1 WHERE id = ?", id);
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
