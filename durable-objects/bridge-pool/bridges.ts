// The bridges that have connected, and when each counts as dead.
import { notAhead } from "@gateway/domain/set-back.ts";
import type { AnnouncedVersion } from "@gateway/protocol/bridge/client-version.ts";
import { BRIDGE_TIMEOUT_MS, type FromBridgeControl } from "@gateway/protocol/bridge-socket.ts";

/** How long a bridge may take to reconnect after its socket closed. */
export const RECONNECT_MS = 3_000;
/** After a restart of the pool itself (deploy, crash) all sockets closed at once, so bridges get longer. */
export const RECONNECT_AFTER_RESTART_MS = 10_000;

/**
 * A bridge that is found silent so much later than it was due is not alone in that: the pool, or its alarm, stood still too, and what the bridge
 * said meanwhile is yet to be read.
 */
const LATE_MS = 2_000;
/** It is spared no more often, and more than once only while the pool hears of less than half of the bridges. */
const MAX_SPARED = 3;

/** A bridge that was found silent late, the last time at `at`: it was due at `due`, and counts as dead at `until` instead (Unix ms). */
type Spared = { due: number; at: number; until: number; times: number };

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
  spared: string | null;
};
type Hello = Extract<FromBridgeControl, { type: "hello" }>;
type Load = Extract<FromBridgeControl, { type: "load" }>;

/** What is asked of the bridges' sockets: `pingedAt` is the time of its last ping that was answered (Unix ms), null when there is none. */
export type Pings = { pingedAt(bridge: string): number | null };

/**
 * All bridges, in memory. A row is written when a bridge says hello, is drained, loses its socket or is dead: what it reports in between is
 * kept here and with its socket.
 */
export class Bridges {
  readonly #sql: SqlStorage;
  readonly #network: Bridge["network"];
  readonly #pings: Pings;
  readonly #changed: (id: string) => void;
  readonly #known = new Map<string, Bridge>();
  readonly #draining = new Set<string>();
  readonly #spared = new Map<string, Spared>();
  /** Ids of the usable ones; null: to be collected again. */
  #usable: string[] | null = null;
  /** No bridge is dead before. */
  #checkAt = Number.POSITIVE_INFINITY;

  /** `changed`: the bridge has come, gone, or said something else of itself. */
  constructor(sql: SqlStorage, network: Bridge["network"], pings: Pings, changed: (id: string) => void) {
    this.#sql = sql;
    this.#network = network;
    this.#pings = pings;
    this.#changed = changed;
    for (const row of sql.exec<Row>("SELECT * FROM bridge").toArray()) {
      this.#remember(bridgeOf(row));
      // Only this class writes it.
      if (row.spared !== null) this.#spared.set(row.id, JSON.parse(row.spared) as Spared);
    }
  }

  /** Restores the bridges' reports from before this instance: none is dead before the earliest of their times. */
  restored(): void {
    this.#checkAt = Number.POSITIVE_INFINITY;
    for (const bridge of this.#known.values()) {
      this.#notePing(bridge);
      this.#checkAt = Math.min(this.#checkAt, this.#sparedNow(bridge)?.until ?? deadAt(bridge));
    }
  }

  /** Nobody was heard later than now. */
  clockSetBack(now: number): void {
    for (const bridge of this.#known.values()) {
      bridge.lastSeenAt = notAhead(bridge.lastSeenAt, 0, now);
      bridge.detachedAt = bridge.detachedAt && notAhead(bridge.detachedAt, 0, now);
    }
    this.#spared.clear();
    this.restored();
  }

  /** For a list: by id. */
  all(): Bridge[] {
    const all = [...this.#known.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const bridge of all) this.#notePing(bridge);
    return all;
  }

  /** In no order. */
  ids(): readonly string[] {
    return [...this.#known.keys()];
  }

  find(id: string): Bridge | undefined {
    return this.#known.get(id);
  }

  /** On this network, connected and here to stay. */
  isUsable(bridge: Bridge): boolean {
    return this.isConnected(bridge) && !bridge.draining;
  }

  isConnected({ network, detachedAt }: Bridge): boolean {
    return network === this.#network && detachedAt === null;
  }

  /** The ids of those that are usable, in order. */
  usable(): readonly string[] {
    this.#usable ??= [...this.#known.values()]
      .filter((bridge) => this.isUsable(bridge))
      .map(({ id }) => id)
      .toSorted();
    return this.#usable;
  }

  /** Those that are being drained and connected. */
  draining(): Bridge[] {
    return [...this.#draining].flatMap((id) => {
      const bridge = this.#known.get(id);
      return bridge === undefined || bridge.detachedAt !== null ? [] : [bridge];
    });
  }

  /**
   * A bridge's hello. A new process is no longer draining, nor forced to; one that dials again keeps its state. Of an earlier release no
   * start is known: one without sessions counts as new. `now` in Unix ms.
   */
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
      lastSeenAt: now,
      detachedAt: null,
      startedAt,
      region,
      build,
      version,
    };
    this.#sql.exec(
      `INSERT OR REPLACE INTO bridge
         (id, network, capacity, sessions, rss_mb, cpu, draining, drain_forced, heard_at, detached_at, started_at, region, build, version)
       VALUES (?, ?, ?, ?, 0, 0, ?, ?, ?, NULL, ?, ?, ?, ?)`,
      id,
      network,
      capacity,
      sessions.length,
      bridge.draining ? 1 : 0,
      bridge.drainForced ? 1 : 0,
      now,
      startedAt,
      region,
      build,
      version,
    );
    this.#keep(bridge);
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
    this.#keep({ ...bridge, draining: true, drainForced: forced });
  }

  /** Its socket closed at `at`. */
  detach(id: string, at: number): void {
    const bridge = this.#known.get(id);
    if (bridge === undefined || bridge.detachedAt !== null) return;
    this.#sql.exec("UPDATE bridge SET detached_at = ? WHERE id = ?", at, id);
    this.#keep({ ...bridge, detachedAt: at });
  }

  /** It is dead. Its row stays until its sessions are settled: a pool that starts again meanwhile finds it dead once more. */
  giveUp(id: string, now: number): void {
    this.detach(id, now - RECONNECT_MS);
    this.#known.delete(id);
    this.#spared.delete(id);
    this.#draining.delete(id);
    this.#usable = null;
    this.#changed(id);
  }

  /** Nothing is left of one that is dead. */
  forget(id: string): void {
    if (!this.#known.has(id)) this.#sql.exec("DELETE FROM bridge WHERE id = ?", id);
  }

  /** Unix ms; null without bridges. */
  nextCheck(): number | null {
    return this.#known.size === 0 ? null : this.#checkAt;
  }

  /** Those that have not been seen in time. Looks at all of them, but only when one of them may be dead. */
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

  /**
   * Since when half of the connected bridges were seen (Unix ms). What is read just now does not count: after a standstill the pool reads one
   * bridge before the next.
   */
  #halfSeenAt(now: number): number {
    const connected = [...this.#known.values()].filter(({ detachedAt }) => detachedAt === null);
    const seen = connected.map(({ lastSeenAt }) => lastSeenAt).filter((at) => at <= now - LATE_MS);
    return seen.toSorted((a, b) => b - a)[Math.ceil(connected.length / 2) - 1] ?? 0;
  }

  /**
   * One that is found silent late gets its time once more, until it is seen again. Found late another time it gets it only if its socket is open
   * and less than half of the bridges were seen since: a pool that is deaf knows nothing of any of them.
   */
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

  /** Null: it was not spared, or has been seen since. */
  #sparedNow(bridge: Bridge): Spared | null {
    const spared = this.#spared.get(bridge.id);
    return spared?.due === deadAt(bridge) ? spared : null;
  }

  #keep(bridge: Bridge): void {
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

  /** Pings are answered without waking this object: it asks for their time. */
  #notePing(bridge: Bridge): void {
    if (bridge.detachedAt === null) bridge.lastSeenAt = Math.max(bridge.lastSeenAt, this.#pings.pingedAt(bridge.id) ?? 0);
  }
}

function bridgeOf({ client_version: version, client_version_source: source, ...row }: Row): Bridge {
  return {
    id: row.id,
    network: row.network,
    capacity: row.capacity,
    sessions: row.sessions,
    rss_mb: row.rss_mb,
    cpu: row.cpu,
    draining: row.draining === 1,
    drainForced: row.drain_forced === 1,
    lastSeenAt: row.heard_at,
    detachedAt: row.detached_at,
    startedAt: row.started_at,
    region: row.region,
    build: row.build,
    version: row.version,
    clientVersion: version === null || source === null ? null : { version, source },
    servedVersion: row.served_version,
  };
}

/** When the bridge counts as dead unless it is seen again (Unix ms). */
function deadAt(bridge: Bridge): number {
  return (bridge.detachedAt ?? bridge.lastSeenAt) + timeOf(bridge);
}

const timeOf = ({ detachedAt }: Bridge): number => (detachedAt === null ? BRIDGE_TIMEOUT_MS : RECONNECT_MS);
