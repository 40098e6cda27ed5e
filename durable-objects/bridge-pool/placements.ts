// Tracks each session's bridge, the queued requests, and the connections that must be notified that their bridge is gone.
import type { Placement } from "@gateway/protocol/bridge-socket.ts";

export type HostedPlacement = Placement & { bridge: string | null; lost: boolean; lostBy: string | null };
export type PlacementRequest = Placement & { ticket: string };

type PlacementRow = { connection: string; generation: number; bridge: string | null; lost: number; lost_by: string | null };

type Lost = { generation: number; gone: string | null };
/** `unnotified` counts a dead bridge's connections that are not notified yet. `wasSettled` means that the last check found none. */
type Gone = { unnotified: number; wasSettled: boolean };

export class Placements {
  readonly #sql: SqlStorage;
  readonly #changed: (bridge: string) => void;
  readonly #assigned: Map<string, number>;
  #placed: number;
  readonly #queued: Set<string>;
  readonly #lost: Map<string, Lost>;
  /** Dead bridges. Their sessions are marked lost without a write per row, so the rows still contain the bridge's id. */
  readonly #gone = new Map<string, Gone>();
  /** Notified connections whose row still contains a dead bridge's id. Their next placement overwrites the row. */
  readonly #notified = new Map<string, string>();

  constructor(sql: SqlStorage, changed: (bridge: string) => void) {
    this.#sql = sql;
    this.#changed = changed;
    const counts = sql.exec<{ bridge: string; n: number }>(
      "SELECT bridge, COUNT(*) AS n FROM placement WHERE bridge IS NOT NULL GROUP BY bridge",
    );
    this.#assigned = new Map(counts.toArray().map(({ bridge, n }) => [bridge, n]));
    this.#placed = [...this.#assigned.values()].reduce((sum, n) => sum + n, 0);
    const queued = sql.exec<{ connection: string }>("SELECT connection FROM placement WHERE bridge IS NULL AND lost = 0");
    this.#queued = new Set(queued.toArray().map(({ connection }) => connection));
    const lost = sql.exec<Placement>("SELECT connection, generation FROM placement WHERE lost = 1 ORDER BY wished_at").toArray();
    this.#lost = new Map(lost.map(({ connection, generation }) => [connection, { generation, gone: null }]));
  }

  readonly assigned = (bridge: string): number => this.#assigned.get(bridge) ?? 0;

  find(connection: string): HostedPlacement | null {
    const row = this.#sql
      .exec<PlacementRow>("SELECT connection, generation, bridge, lost, lost_by FROM placement WHERE connection = ?", connection)
      .toArray()[0];
    if (row === undefined) return null;
    const { lost_by: lostBy, ...rest } = row;
    if (row.bridge === null || !this.#gone.has(row.bridge)) return { ...rest, lost: row.lost === 1, lostBy };
    return this.#notified.has(connection) ? null : { ...rest, bridge: null, lost: true, lostBy: row.bridge };
  }

  ofBridge(bridge: string): Placement[] {
    return this.#gone.has(bridge) ? [] : this.#rowsOf(bridge);
  }

  /** Queues the request and replaces any earlier state of the connection. A connection already in the queue keeps its position. */
  enqueue({ connection, generation, ticket }: PlacementRequest, now: number): void {
    this.#sql.exec(
      `INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?1, ?2, NULL, ?3, 0, ?4)
       ON CONFLICT (connection) DO UPDATE SET generation = ?2, ticket = ?3, lost = 0, lost_by = NULL, bridge = NULL,
         wished_at = CASE WHEN bridge IS NULL AND lost = 0 THEN wished_at ELSE ?4 END`,
      connection,
      generation,
      ticket,
      now,
    );
    this.#settle(connection);
    this.#queued.add(connection);
  }

  /** Assigns the session to the bridge. An earlier placement must have been freed with `vacate`. */
  assign({ connection, generation }: Placement, bridge: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?1, ?2, ?3, NULL, 0, ?4)
       ON CONFLICT (connection) DO UPDATE SET generation = ?2, bridge = ?3, ticket = NULL, lost = 0, lost_by = NULL, wished_at = ?4`,
      connection,
      generation,
      bridge,
      now,
    );
    this.#settle(connection);
    this.#adjustCount(bridge, 1);
  }

  vacate({ bridge }: HostedPlacement): void {
    if (bridge !== null) this.#adjustCount(bridge, -1);
  }

  markLost({ connection, generation }: Placement): void {
    const known = this.find(connection);
    if (known === null || known.generation !== generation || known.lost) return;
    this.#sql.exec(
      "UPDATE placement SET bridge = NULL, ticket = NULL, lost = 1, lost_by = COALESCE(bridge, lost_by) WHERE connection = ?",
      connection,
    );
    this.#queued.delete(connection);
    this.#lost.set(connection, { generation, gone: null });
    this.vacate(known);
  }

  loseAll(bridge: string): number {
    if (this.#gone.has(bridge)) return 0;
    const lost = this.#rowsOf(bridge);
    if (lost.length > 0) this.#gone.set(bridge, { unnotified: lost.length, wasSettled: false });
    for (const { connection, generation } of lost) this.#lost.set(connection, { generation, gone: bridge });
    this.#adjustCount(bridge, -this.assigned(bridge));
    return lost.length;
  }

  isGone(bridge: string): boolean {
    return this.#gone.has(bridge);
  }

  /** Called when the bridge has returned. Connections that are not yet notified stay with it. */
  revive(bridge: string): void {
    if (!this.#gone.delete(bridge)) return;
    for (const connection of this.#forgetNotified(bridge)) this.#sql.exec("DELETE FROM placement WHERE connection = ?", connection);
    const own = this.#rowsOf(bridge);
    for (const { connection } of own) this.#lost.delete(connection);
    this.#adjustCount(bridge, own.length);
  }

  /** Called once a minute. Deletes the rows of dead bridges a minute after the last notification, and returns those bridges. */
  clearGone(): string[] {
    const settled = [...this.#gone].filter(([, { unnotified }]) => unnotified <= 0);
    const over = settled.filter(([, { wasSettled }]) => wasSettled).map(([bridge]) => bridge);
    for (const [, gone] of settled) gone.wasSettled = true;
    for (const bridge of over) {
      this.#sql.exec("DELETE FROM placement WHERE bridge = ?", bridge);
      this.#gone.delete(bridge);
      this.#forgetNotified(bridge);
    }
    return over;
  }

  remove(connection: string): void {
    const known = this.find(connection);
    this.#sql.exec("DELETE FROM placement WHERE connection = ?", connection);
    this.#settle(connection);
    if (known !== null) this.vacate(known);
  }

  removeEnded({ connection, generation }: Placement): void {
    if (this.find(connection)?.generation === generation) this.remove(connection);
  }

  removeLost({ connection, generation }: Placement): void {
    const lost = this.#lost.get(connection);
    if (lost?.generation !== generation) return;
    if (lost.gone === null) return this.remove(connection);
    this.#settle(connection);
    this.#notified.set(connection, lost.gone);
  }

  postponeLost({ connection, generation }: Placement): void {
    const lost = this.#lost.get(connection);
    if (lost?.generation !== generation) return;
    this.#lost.delete(connection);
    this.#lost.set(connection, lost);
  }

  queued(limit: number): PlacementRequest[] {
    if (this.#queued.size === 0) return [];
    return this.#sql
      .exec<PlacementRequest>(
        "SELECT connection, generation, ticket FROM placement WHERE bridge IS NULL AND lost = 0 ORDER BY wished_at LIMIT ?",
        limit,
      )
      .toArray();
  }

  *lost(): Generator<Placement> {
    for (const [connection, { generation }] of this.#lost) yield { connection, generation };
  }

  counts(): { placed: number; queued: number } {
    return { placed: this.#placed, queued: this.#queued.size };
  }

  between(from: string, until: string): string[] {
    return this.#sql
      .exec<{ connection: string }>("SELECT connection FROM placement WHERE connection >= ? AND connection < ?", from, until)
      .toArray()
      .map(({ connection }) => connection);
  }

  #rowsOf(bridge: string): Placement[] {
    return this.#sql.exec<Placement>("SELECT connection, generation FROM placement WHERE bridge = ?", bridge).toArray();
  }

  #settle(connection: string): void {
    const gone = this.#lost.get(connection)?.gone;
    const entry = gone === undefined || gone === null ? undefined : this.#gone.get(gone);
    if (entry !== undefined) entry.unnotified -= 1;
    this.#lost.delete(connection);
    this.#queued.delete(connection);
    this.#notified.delete(connection);
  }

  #forgetNotified(bridge: string): string[] {
    const notified = [...this.#notified].filter(([, gone]) => gone === bridge).map(([connection]) => connection);
    for (const connection of notified) this.#notified.delete(connection);
    return notified;
  }

  #adjustCount(bridge: string, by: number): void {
    const n = this.assigned(bridge) + by;
    this.#placed += by;
    if (n <= 0) this.#assigned.delete(bridge);
    else this.#assigned.set(bridge, n);
    this.#changed(bridge);
  }
}
