// The connected bridges, and the time at which the pool considers each one dead.
import { notAhead } from "@gateway/domain/clock-set-back.ts";
import { type AnnouncedVersion, BRIDGE_TIMEOUT_MS, type FromBridgeControl } from "@gateway/protocol/bridge-socket.ts";

export const RECONNECT_MS = 3_000;
/** Extra time for bridges to reconnect when the pool restarts, because that closes all their sockets at once. */
export const RECONNECT_AFTER_RESTART_MS = 10_000;

/** A deadline that is noticed this late shows that the pool or its alarm was stalled. The bridge's reports may then still be unread. */
const LATE_MS = 2_000;
/** Maximum extensions per bridge. A bridge gets a second extension only while fewer than half of the bridges are reporting. */
const MAX_SPARED = 3;

/** Extra time for a bridge that missed its deadline `due`. It counts as dead only at `until`. `at` is the last extension's time. */
type Spared = { due: number; at: number; until: number; times: number };

export type Bridge = {
  id: string;
  network: "real" | "local";
  capacity: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: boolean;
  drainForced: boolean;
  /** When the bridge announced that its host is about to stop it, or null. */
  leavingAt: number | null;
  lastSeenAt: number;
  detachedAt: number | null;
  startedAt: number | null;
  region: string | null;
  build: string | null;
  version: string | null;
  clientVersion: AnnouncedVersion | null;
  servedVersion: string | null;
};

type BridgeRow = {
  id: string;
  network: "real" | "local";
  capacity: number;
  sessions: number;
  rss_mb: number;
  cpu: number;
  draining: number;
  drain_forced: number;
  leaving_at: number | null;
  seen_at: number;
  detached_at: number | null;
  started_at: number | null;
  region: string | null;
  build: string | null;
  version: string | null;
  client_version: string | null;
  client_version_source: AnnouncedVersion["source"] | null;
  served_version: string | null;
  spared: string | null;
};
type Hello = Extract<FromBridgeControl, { type: "hello" }>;
type Load = Extract<FromBridgeControl, { type: "load" }>;

/** `pingedAt` is the time of the bridge's last answered ping (Unix ms), or null. */
export type Pings = { pingedAt(bridge: string): number | null };

/** The bridges in memory. Rows are written only on hello, drain, socket loss or death. Reports stay in the socket's attachment. */
export class Bridges {
  readonly #sql: SqlStorage;
  readonly #network: Bridge["network"];
  readonly #pings: Pings;
  readonly #changed: (id: string) => void;
  readonly #known = new Map<string, Bridge>();
  readonly #draining = new Set<string>();
  readonly #spared = new Map<string, Spared>();
  #usable: string[] | null = null;
  /** The scan is skipped until this time, because no bridge can be dead before it. */
  #checkAt = Number.POSITIVE_INFINITY;

  constructor(sql: SqlStorage, network: Bridge["network"], pings: Pings, changed: (id: string) => void) {
    this.#sql = sql;
    this.#network = network;
    this.#pings = pings;
    this.#changed = changed;
    for (const row of sql.exec<BridgeRow>("SELECT * FROM bridge").toArray()) {
      this.#remember(bridgeOf(row));
      if (row.spared !== null) this.#spared.set(row.id, JSON.parse(row.spared) as Spared);
    }
  }

  /** Called once the reports that earlier instances received have been restored. Computes the earliest deadline of all bridges. */
  restored(): void {
    this.#checkAt = Number.POSITIVE_INFINITY;
    for (const bridge of this.#known.values()) {
      this.#notePing(bridge);
      this.#checkAt = Math.min(this.#checkAt, this.#sparedNow(bridge)?.until ?? deadAt(bridge));
    }
  }

  clockSetBack(now: number): void {
    for (const bridge of this.#known.values()) {
      bridge.lastSeenAt = notAhead(bridge.lastSeenAt, 0, now);
      bridge.detachedAt = bridge.detachedAt && notAhead(bridge.detachedAt, 0, now);
      bridge.leavingAt = bridge.leavingAt && notAhead(bridge.leavingAt, 0, now);
    }
    this.#spared.clear();
    this.restored();
  }

  all(): Bridge[] {
    const all = [...this.#known.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const bridge of all) this.#notePing(bridge);
    return all;
  }

  ids(): readonly string[] {
    return [...this.#known.keys()];
  }

  find(id: string): Bridge | undefined {
    return this.#known.get(id);
  }

  isUsable(bridge: Bridge): boolean {
    return this.isConnected(bridge) && !bridge.draining;
  }

  isConnected({ network, detachedAt }: Bridge): boolean {
    return network === this.#network && detachedAt === null;
  }

  usable(): readonly string[] {
    this.#usable ??= [...this.#known.values()]
      .filter((bridge) => this.isUsable(bridge))
      .map(({ id }) => id)
      .toSorted();
    return this.#usable;
  }

  draining(): Bridge[] {
    return [...this.#draining].flatMap((id) => {
      const bridge = this.#known.get(id);
      return bridge === undefined || bridge.detachedAt !== null ? [] : [bridge];
    });
  }

  /** A new process is not draining, and a process that reconnects keeps its state. `now` in Unix ms. */
  register(hello: Hello, now: number): void {
    const { bridge_id: id, network, capacity, sessions, started_at: startedAt = null, region = null, build = null, version = null } = hello;
    const before = this.#known.get(id);
    const isSame = before !== undefined && (startedAt === null ? sessions.length > 0 : before.startedAt === startedAt);
    const bridge: Bridge = {
      rss_mb: before?.rss_mb ?? 0,
      cpu: before?.cpu ?? 0,
      clientVersion: before?.clientVersion ?? null,
      servedVersion: before?.servedVersion ?? null,
      id,
      network,
      capacity,
      sessions: sessions.length,
      draining: isSame && before.draining,
      drainForced: isSame && before.drainForced,
      leavingAt: isSame ? before.leavingAt : null,
      lastSeenAt: now,
      detachedAt: null,
      startedAt,
      region,
      build,
      version,
    };
    this.#sql.exec(
      `INSERT OR REPLACE INTO bridge
         (id, network, capacity, sessions, rss_mb, cpu, draining, drain_forced, leaving_at, seen_at, detached_at, started_at, region, build,
          version)
       VALUES (?, ?, ?, ?, 0, 0, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
      id,
      network,
      capacity,
      sessions.length,
      bridge.draining ? 1 : 0,
      bridge.drainForced ? 1 : 0,
      bridge.leavingAt,
      now,
      startedAt,
      region,
      build,
      version,
    );
    this.#update(bridge);
  }

  recordLoad(id: string, load: Load, now: number): void {
    const bridge = this.#known.get(id);
    if (bridge === undefined) return;
    const { sessions, rss_mb, cpu, client_version: clientVersion = null, served_version: servedVersion = null } = load;
    const isMoved = cpu !== bridge.cpu;
    Object.assign(bridge, { sessions, rss_mb, cpu, clientVersion, servedVersion, lastSeenAt: Math.max(now, bridge.lastSeenAt) });
    if (isMoved) this.#changed(id);
  }

  drain(id: string, forced: boolean): void {
    const bridge = this.#known.get(id);
    if (bridge === undefined || (bridge.draining && bridge.drainForced === forced)) return;
    this.#sql.exec("UPDATE bridge SET draining = 1, drain_forced = ? WHERE id = ?", forced ? 1 : 0, id);
    this.#update({ ...bridge, draining: true, drainForced: forced });
  }

  leaving(id: string, now: number): void {
    const bridge = this.#known.get(id);
    if (bridge === undefined || bridge.leavingAt !== null) return;
    this.#sql.exec("UPDATE bridge SET draining = 1, leaving_at = ? WHERE id = ?", now, id);
    this.#update({ ...bridge, draining: true, leavingAt: now });
  }

  detach(id: string, at: number): void {
    const bridge = this.#known.get(id);
    if (bridge === undefined || bridge.detachedAt !== null) return;
    this.#sql.exec("UPDATE bridge SET detached_at = ? WHERE id = ?", at, id);
    this.#update({ ...bridge, detachedAt: at });
  }

  /** Marks the bridge as dead. The row is kept until its sessions are settled, so that a restarted pool still considers the bridge dead. */
  giveUp(id: string, now: number): void {
    this.detach(id, now - RECONNECT_MS);
    this.#known.delete(id);
    this.#spared.delete(id);
    this.#draining.delete(id);
    this.#usable = null;
    this.#changed(id);
  }

  forget(id: string): void {
    if (!this.#known.has(id)) this.#sql.exec("DELETE FROM bridge WHERE id = ?", id);
  }

  nextCheck(): number | null {
    return this.#known.size === 0 ? null : this.#checkAt;
  }

  /** Returns the bridges whose deadline has passed. Scans all bridges, but only when one may be dead. */
  dead(now: number): Bridge[] {
    if (now < this.#checkAt) return [];
    const dead: Bridge[] = [];
    this.#checkAt = Number.POSITIVE_INFINITY;
    for (const bridge of this.#known.values()) this.#notePing(bridge);
    const halfSeenAt = this.#spared.size === 0 ? 0 : this.#halfSeenAt(now);
    for (const bridge of this.#known.values()) {
      const at = this.#deadAt(bridge, halfSeenAt, now);
      if (at <= now) dead.push(bridge);
      else this.#checkAt = Math.min(this.#checkAt, at);
    }
    return dead;
  }

  /** The latest time (Unix ms) since which at least half of the connected bridges have reported, ignoring the last LATE_MS. */
  #halfSeenAt(now: number): number {
    const connected = [...this.#known.values()].filter(({ detachedAt }) => detachedAt === null);
    const seen = connected.map(({ lastSeenAt }) => lastSeenAt).filter((at) => at <= now - LATE_MS);
    return seen.toSorted((a, b) => b - a)[Math.ceil(connected.length / 2) - 1] ?? 0;
  }

  /** Returns when the bridge counts as dead. A late check extends its deadline, repeatedly while fewer than half of the bridges report. */
  #deadAt(bridge: Bridge, halfSeenAt: number, now: number): number {
    const due = deadAt(bridge);
    const spared = this.#sparedNow(bridge);
    if (spared === null) this.#spared.delete(bridge.id);
    const until = spared?.until ?? due;
    if (now - until < LATE_MS) return until;
    const isDeaf = this.#known.size > 1 && bridge.detachedAt === null && spared !== null && halfSeenAt <= spared.at;
    if (spared !== null && (!isDeaf || spared.times === MAX_SPARED)) return until;
    const again = { due, at: now, until: now + timeOf(bridge), times: (spared?.times ?? 0) + 1 };
    this.#spared.set(bridge.id, again);
    this.#sql.exec("UPDATE bridge SET spared = ? WHERE id = ?", JSON.stringify(again), bridge.id);
    return again.until;
  }

  #sparedNow(bridge: Bridge): Spared | null {
    const spared = this.#spared.get(bridge.id);
    return spared?.due === deadAt(bridge) ? spared : null;
  }

  #update(bridge: Bridge): void {
    this.#remember(bridge);
    this.#changed(bridge.id);
  }

  #remember(bridge: Bridge): void {
    this.#known.set(bridge.id, bridge);
    if (bridge.draining) this.#draining.add(bridge.id);
    else this.#draining.delete(bridge.id);
    this.#checkAt = Math.min(this.#checkAt, deadAt(bridge));
    this.#usable = null;
  }

  /** The platform responds to pings without waking this object, so their time is read here. */
  #notePing(bridge: Bridge): void {
    if (bridge.detachedAt === null) bridge.lastSeenAt = Math.max(bridge.lastSeenAt, this.#pings.pingedAt(bridge.id) ?? 0);
  }
}

function bridgeOf({ client_version: version, client_version_source: source, ...row }: BridgeRow): Bridge {
  return {
    id: row.id,
    network: row.network,
    capacity: row.capacity,
    sessions: row.sessions,
    rss_mb: row.rss_mb,
    cpu: row.cpu,
    draining: row.draining === 1,
    drainForced: row.drain_forced === 1,
    leavingAt: row.leaving_at,
    lastSeenAt: row.seen_at,
    detachedAt: row.detached_at,
    startedAt: row.started_at,
    region: row.region,
    build: row.build,
    version: row.version,
    clientVersion: version === null || source === null ? null : { version, source },
    servedVersion: row.served_version,
  };
}

function deadAt(bridge: Bridge): number {
  return (bridge.detachedAt ?? bridge.lastSeenAt) + timeOf(bridge);
}

const timeOf = ({ detachedAt }: Bridge): number => (detachedAt === null ? BRIDGE_TIMEOUT_MS : RECONNECT_MS);
