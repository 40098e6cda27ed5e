// Which bridge hosts which session, which requests wait for a bridge, and which connections are yet to be notified that theirs is gone.
import type { Placement } from "../../src/protocol/bridge-socket.ts";

/** `lostBy`: the bridge that hosted it until it was lost. */
export type HostedPlacement = Placement & { bridge: string | null; lost: boolean; lostBy: string | null };
export type PlacementRequest = Placement & { ticket: string };

type Row = { connection: string; generation: number; bridge: string | null; lost: number; lost_by: string | null };

export class Placements {
  readonly #sql: SqlStorage;
  /** How many sessions each bridge was given; counted once per wake-up. */
  readonly #assigned: Map<string, number>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const counts = sql.exec<{ bridge: string; n: number }>(
      "SELECT bridge, COUNT(*) AS n FROM placement WHERE bridge IS NOT NULL GROUP BY bridge",
    );
    this.#assigned = new Map(counts.toArray().map(({ bridge, n }) => [bridge, n]));
  }

  readonly assigned = (bridge: string): number => this.#assigned.get(bridge) ?? 0;

  find(connection: string): HostedPlacement | null {
    const row = this.#sql
      .exec<Row>("SELECT connection, generation, bridge, lost, lost_by FROM placement WHERE connection = ?", connection)
      .toArray()[0];
    return row === undefined ? null : placementOf(row);
  }

  ofBridge(bridge: string): HostedPlacement[] {
    return this.#sql
      .exec<Row>("SELECT connection, generation, bridge, lost, lost_by FROM placement WHERE bridge = ?", bridge)
      .toArray()
      .map(placementOf);
  }

  /** No bridge has room: stores the request, replacing the connection's placement. */
  enqueue({ connection, generation, ticket }: PlacementRequest, now: number): void {
    this.remove(connection);
    this.#sql.exec(
      "INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?, ?, NULL, ?, 0, ?)",
      connection,
      generation,
      ticket,
      now,
    );
  }

  /** The bridge hosts the session. */
  assign({ connection, generation }: Placement, bridge: string, now: number): void {
    this.remove(connection);
    this.#sql.exec(
      "INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?, ?, ?, NULL, 0, ?)",
      connection,
      generation,
      bridge,
      now,
    );
    this.#adjustCount(bridge, 1);
  }

  /** Its bridge is gone, and the connection is to be notified. */
  markLost({ connection, generation }: Placement): void {
    const row = this.find(connection);
    if (row === null || row.generation !== generation) return;
    this.#sql.exec(
      "UPDATE placement SET bridge = NULL, ticket = NULL, lost = 1, lost_by = COALESCE(bridge, lost_by) WHERE connection = ?",
      connection,
    );
    if (row.bridge !== null) this.#adjustCount(row.bridge, -1);
  }

  remove(connection: string): void {
    const row = this.#sql
      .exec<{ bridge: string | null }>("DELETE FROM placement WHERE connection = ? RETURNING bridge", connection)
      .toArray()[0];
    if (row !== undefined && row.bridge !== null) this.#adjustCount(row.bridge, -1);
  }

  /** There is no such session any more. */
  removeEnded({ connection, generation }: Placement): void {
    if (this.find(connection)?.generation === generation) this.remove(connection);
  }

  /** The connection has been notified. */
  removeLost({ connection, generation }: Placement): void {
    this.#sql.exec("DELETE FROM placement WHERE connection = ? AND generation = ? AND lost = 1", connection, generation);
  }

  /** It could not be notified: moves to the end of the list. */
  postponeLost({ connection, generation }: Placement, now: number): void {
    this.#sql.exec("UPDATE placement SET wished_at = ? WHERE connection = ? AND generation = ? AND lost = 1", now, connection, generation);
  }

  /** Oldest first. */
  queued(limit: number): PlacementRequest[] {
    return this.#sql
      .exec<PlacementRequest>(
        "SELECT connection, generation, ticket FROM placement WHERE bridge IS NULL AND lost = 0 ORDER BY wished_at LIMIT ?",
        limit,
      )
      .toArray();
  }

  lost(limit: number): Placement[] {
    return this.#sql
      .exec<Placement>("SELECT connection, generation FROM placement WHERE lost = 1 ORDER BY wished_at LIMIT ?", limit)
      .toArray();
  }

  counts(): { placed: number; queued: number } {
    const placed = [...this.#assigned.values()].reduce((sum, n) => sum + n, 0);
    const { queued } = this.#sql
      .exec<{ queued: number }>("SELECT COUNT(*) AS queued FROM placement WHERE bridge IS NULL AND lost = 0")
      .one();
    return { placed, queued };
  }

  #adjustCount(bridge: string, by: number): void {
    const n = this.assigned(bridge) + by;
    if (n <= 0) this.#assigned.delete(bridge);
    else this.#assigned.set(bridge, n);
  }
}

function placementOf({ lost, lost_by, ...row }: Row): HostedPlacement {
  return { ...row, lost: lost === 1, lostBy: lost_by };
}
