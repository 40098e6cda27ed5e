// The pool's decisions: which bridge gets a session, and which connections lose theirs. All synchronous, over two tables. Nothing here looks
// at all bridges but what an administrator asks for, and the search for dead ones every few seconds.
import type { FromBridgeControl, Placement, ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { log } from "../../src/log.ts";
import { type Bridge, Bridges, type Pings } from "./bridges.ts";
import { Placements, type PlacementRequest } from "./placements.ts";
import { Rings } from "./build-shares/build-share.ts";
import { Rooms } from "./capacity.ts";
import { Turns } from "./dial-backlog.ts";
import type { BridgeView, Placed } from "../../src/services/bridges/pool-stub.ts";

/** Frames to the sockets of bridges. `send` is false when the bridge's socket is not here. `bindTicket`: so that no other bridge can use it. */
export type ControlSockets = Pings & {
  send(bridge: string, frame: ToBridgeControl): boolean;
  bindTicket(ticket: string, bridge: string): string;
};

const FILL_BATCH = 500;

export class Pool {
  readonly bridges: Bridges;
  readonly placements: Placements;
  readonly rings: Rings;
  readonly #rooms: Rooms;
  readonly #sockets: ControlSockets;
  readonly #turns = new Turns();

  constructor(sql: SqlStorage, sockets: ControlSockets, network: Bridge["network"]) {
    const changed = (bridge: string): void => this.#rooms.changed(bridge);
    this.bridges = new Bridges(sql, network, sockets, changed);
    this.placements = new Placements(sql, changed);
    this.rings = new Rings(sql, () => this.#rooms.refresh());
    this.#sockets = sockets;
    const { bridges, rings, placements } = this;
    this.#rooms = new Rooms({ bridges, isNew: (bridge) => rings.isNew(bridge), assigned: placements.assigned });
  }

  /** All bridges as administrators see them. */
  views(): BridgeView[] {
    return this.bridges.all().map((bridge) => viewOf(bridge, this.placements.assigned(bridge.id)));
  }

  /** Assigns the session to a bridge, or queues the request until one has room. A request of an older generation is ignored. */
  place(request: PlacementRequest, now: number): Placed {
    const known = this.placements.find(request.connection);
    if (known !== null && known.generation > request.generation) return { queued: false };
    // Two bridges with tickets of one generation would evict each other for ever.
    if (known?.generation === request.generation && known.bridge !== null) return this.#placedOn(known.bridge, now);
    // First, so that its own place counts as free.
    if (known !== null) this.placements.vacate(known);
    const reserved = this.#rooms.reservedFor(request.connection);
    this.#rooms.cancel(request.connection);
    const bridge = this.#assign(request, now, reserved);
    if (bridge !== null) return this.#placedOn(bridge, now);
    this.placements.enqueue(request, now);
    return { queued: true };
  }

  /** No session below this generation is wanted. The connection itself stops the session on its bridge. */
  release(connection: string, below: number, now: number): void {
    const known = this.placements.find(connection);
    if (known === null || known.generation >= below) return;
    this.placements.remove(connection);
    this.fill(now);
  }

  /** Somebody waits for this session, whose socket is gone. False: its bridge could not be told. */
  redial(placement: Placement): boolean {
    const known = this.placements.find(placement.connection);
    if (known === null || known.bridge === null || known.generation !== placement.generation) return false;
    return this.#sockets.send(known.bridge, { type: "redial", placement });
  }

  register(hello: Extract<FromBridgeControl, { type: "hello" }>, now: number): void {
    this.placements.revive(hello.bridge_id);
    this.bridges.register(hello, now);
    const held = new Map(hello.sessions.map(({ connection, generation }) => [connection, generation]));
    for (const placement of this.placements.ofBridge(hello.bridge_id)) {
      if (held.get(placement.connection) !== placement.generation) this.placements.markLost(placement);
    }
    for (const session of hello.sessions) this.#reconcile(hello.bridge_id, session, now);
    this.fill(now);
  }

  /** The bridge has given the session up; the connection requests a new placement if it still wants one. */
  gone(bridge: string, placement: Placement, now: number): void {
    const known = this.placements.find(placement.connection);
    if (known?.bridge === bridge && known.generation === placement.generation) this.placements.markLost(placement);
    this.fill(now);
  }

  /**
   * Keeps a place for a session that is to move: at the bridge `to`, or at the least loaded other one. Fails `instance_not_connected` (no
   * bridge has it), `bridge_not_found`, `already_on_bridge`, `bridge_draining`, `bridge_full`.
   */
  reserve(connection: string, to: string | null): Outcome<{ placement: Placement; from: string; to: string }> {
    const known = this.placements.find(connection);
    if (known === null || known.bridge === null || this.#rooms.reservedFor(connection) !== undefined) return fail("instance_not_connected");
    const named = to === null ? undefined : this.bridges.find(to);
    if (to !== null && (named === undefined || !this.bridges.isConnected(named))) return fail("bridge_not_found");
    if (named?.id === known.bridge) return fail("already_on_bridge");
    if (named?.draining === true) return fail("bridge_draining");
    const chosen = named === undefined ? this.#choose(connection, known.bridge) : this.#ifRoom(named);
    if (chosen === null) return fail("bridge_full");
    this.#rooms.reserve(connection, chosen.id);
    return succeed({ placement: known, from: known.bridge, to: chosen.id });
  }

  /** The move has ended, or will not take place. */
  cancelReservation(connection: string): void {
    this.#rooms.cancel(connection);
  }

  /** Sessions that the other bridges have room for. */
  roomBeside(bridge: string): number {
    return this.#roomOf(this.#usable().filter(({ id }) => id !== bridge));
  }

  /** The bridge ends: it gets no new sessions, and those it has are lost to it. */
  leave(bridge: string): void {
    this.bridges.drain(bridge, false);
    this.placements.loseAll(bridge);
  }

  /** Gives up bridges that have not been seen in time, with their sessions. Returns the ids of these bridges. */
  expire(now: number): string[] {
    const dead = this.bridges.dead(now);
    for (const { id, lastSeenAt } of dead) {
      const sessions = this.placements.loseAll(id);
      this.bridges.giveUp(id, now);
      this.#turns.forget(id);
      if (!this.placements.isGone(id)) this.bridges.forget(id);
      log("pool.bridge_dead", { bridge: id, silent_ms: now - lastSeenAt, sessions });
    }
    return dead.map(({ id }) => id);
  }

  /** Once a minute: removes what is left of bridges that are dead. */
  clearDead(): void {
    for (const bridge of this.placements.clearGone()) this.bridges.forget(bridge);
  }

  clockSetBack(now: number): void {
    this.bridges.clockSetBack(now);
    this.rings.clockSetBack(now);
    this.#turns.clockSetBack();
  }

  nextDue(): number | null {
    return this.bridges.nextCheck();
  }

  /** Assigns queued requests to bridges that have room. */
  fill(now: number): void {
    if (!this.#rooms.hasAnyRoom) return;
    for (const request of this.placements.queued(FILL_BATCH)) {
      // While builds have shares, one that finds no place says nothing about the next.
      if (this.#assign(request, now) === null && this.rings.rollout === null) return;
    }
  }

  /** Sessions that are not where the builds' shares say, and for which there is room there. */
  *misplaced(): Generator<Placement> {
    if (this.rings.rollout === null) return;
    for (const bridge of this.#usable()) {
      const isNew = this.rings.isNew(bridge);
      if (this.#rooms.best(isNew ? "other" : "new") === null) continue;
      for (const placement of this.placements.ofBridge(bridge.id)) {
        const { connection } = placement;
        if (this.rings.belongs(connection) !== isNew && this.#rooms.reservedFor(connection) === undefined) yield placement;
      }
    }
  }

  /** What a build that was taken back still has is lost to it, as far as other bridges have room: it may not answer any more. */
  takeFromRejected(): void {
    const connected = this.bridges.all().filter((bridge) => this.bridges.isConnected(bridge));
    const stuck = connected.filter((bridge) => this.rings.isNew(bridge)).flatMap(({ id }) => this.placements.ofBridge(id));
    // Places that were kept for them are free again.
    for (const { connection } of stuck) this.#rooms.cancel(connection);
    const room = this.#roomOf(this.#usable().filter((bridge) => !this.rings.isNew(bridge)));
    for (const placement of stuck.slice(0, room)) this.placements.markLost(placement);
  }

  #usable(): Bridge[] {
    return this.bridges.usable().flatMap((id) => this.bridges.find(id) ?? []);
  }

  #roomOf(bridges: readonly Bridge[]): number {
    return bridges.reduce((sum, bridge) => sum + this.#rooms.left(bridge), 0);
  }

  #choose(connection: string, except?: string): Bridge | null {
    for (const ring of this.rings.choices(connection, this.#rooms.isOnlyBuild)) {
      const best = this.#rooms.best(ring, except);
      if (best !== null) return best;
    }
    return null;
  }

  #ifRoom(bridge: Bridge | undefined): Bridge | null {
    return bridge !== undefined && this.#rooms.hasRoom(bridge) ? bridge : null;
  }

  #placedOn(bridge: string, now: number): Placed {
    const waitMs = this.#turns.waitMs(bridge, now);
    return { queued: false, ...(waitMs > 0 && { turn_ms: waitMs }) };
  }

  /** Which bridge has it; null: none has room. */
  #assign(request: PlacementRequest, now: number, reserved?: string): string | null {
    const kept = reserved === undefined ? null : this.#ifRoom(this.bridges.find(reserved));
    const bridge = kept ?? this.#choose(request.connection);
    if (bridge === null) return null;
    const { connection, generation } = request;
    const ticket = this.#sockets.bindTicket(request.ticket, bridge.id);
    if (!this.#sockets.send(bridge.id, { type: "open", placement: { connection, generation }, ticket })) {
      this.bridges.detach(bridge.id, now);
      return this.#assign(request, now);
    }
    this.placements.assign(request, bridge.id, now);
    this.#turns.given(bridge.id, now);
    return bridge.id;
  }

  /** A session that the bridge reports after a reconnect. If it was marked lost meanwhile, and not yet moved, its bridge keeps it. */
  #reconcile(bridge: string, session: Placement, now: number): void {
    const known = this.placements.find(session.connection);
    if (known?.generation === session.generation && (known.bridge === bridge || known.lostBy === bridge)) {
      if (known.lost) this.placements.assign(session, bridge, now);
      return;
    }
    this.#sockets.send(bridge, { type: "close", placement: session });
  }
}

function viewOf(bridge: Bridge, assigned: number): BridgeView {
  const { id, network, capacity, sessions, rss_mb, cpu, draining, region, build, version } = bridge;
  return {
    id,
    network,
    capacity,
    assigned,
    sessions,
    rss_mb,
    cpu,
    draining,
    connected: bridge.detachedAt === null,
    started_at: bridge.startedAt,
    region,
    build,
    version,
    client_version: bridge.clientVersion,
    served_version: bridge.servedVersion,
    last_seen_at: bridge.lastSeenAt,
  };
}
