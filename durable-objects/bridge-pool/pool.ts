// The pool's decisions: which bridge gets a session, and which connections lose theirs. All synchronous, over two tables.
import type { FromBridgeControl, Placement, ToBridgeControl } from "../../src/protocol/bridge-socket.ts";
import { fail, type Outcome } from "../../src/protocol/failures.ts";
import { log } from "../../src/log.ts";
import { type Bridge, Bridges, deadAt } from "./bridges.ts";
import { Placements, type PlacementRequest } from "./placements.ts";
import { Rings } from "./rings.ts";

/** Frames to the sockets of bridges. `send` is false when the bridge's socket is not here. `bindTicket`: so that no other bridge can use it. */
export type ControlSockets = { send(bridge: string, frame: ToBridgeControl): boolean; bindTicket(ticket: string, bridge: string): string };

const FILL_BATCH = 500;

export class Pool {
  readonly bridges: Bridges;
  readonly placements: Placements;
  readonly rings: Rings;
  readonly #sockets: ControlSockets;
  readonly #network: Bridge["network"];
  /** By connection: the bridge that keeps a place for a session that moves to it. In memory: after a restart the least loaded one gets it. */
  readonly #reserved = new Map<string, string>();

  constructor(sql: SqlStorage, sockets: ControlSockets, network: Bridge["network"]) {
    this.bridges = new Bridges(sql);
    this.placements = new Placements(sql);
    this.rings = new Rings(sql);
    this.#sockets = sockets;
    this.#network = network;
  }

  /** Assigns the session to a bridge, or queues the request until one has room. A request of an older generation is ignored. */
  place(request: PlacementRequest, now: number): { queued: boolean } {
    const known = this.placements.find(request.connection);
    if (known !== null && known.generation > request.generation) return { queued: false };
    // Two bridges with tickets of one generation would evict each other for ever.
    if (known?.generation === request.generation && known.bridge !== null) return { queued: false };
    // Removed first, so that its own place counts as free.
    this.placements.remove(request.connection);
    const reserved = this.#reserved.get(request.connection);
    this.#reserved.delete(request.connection);
    if (this.#assign(request, now, reserved)) return { queued: false };
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
    if (known === null || known.bridge === null || this.#reserved.has(connection)) return fail("instance_not_connected");
    const others = this.#connected().filter(({ id }) => id !== known.bridge);
    const named = to === null ? null : this.#connected().find(({ id }) => id === to);
    if (named === undefined) return fail("bridge_not_found");
    if (named !== null && named.id === known.bridge) return fail("already_on_bridge");
    if (named?.draining === true) return fail("bridge_draining");
    const chosen = named === null ? this.#choose(others, connection) : leastLoaded([named], this.#taken, this.#network);
    if (chosen === null) return fail("bridge_full");
    this.#reserved.set(connection, chosen.id);
    return { ok: true, value: { placement: known, from: known.bridge, to: chosen.id } };
  }

  /** The move has ended, or will not take place. */
  cancelReservation(connection: string): void {
    this.#reserved.delete(connection);
  }

  /** Sessions that the other bridges have room for. */
  roomBeside(bridge: string): number {
    const others = this.#connected().filter(({ id, draining }) => id !== bridge && !draining);
    return others.reduce((sum, { id, capacity }) => sum + Math.max(0, capacity - this.#taken(id)), 0);
  }

  /** The bridge ends: it gets no new sessions, and those it has are lost to it. */
  leave(bridge: string): void {
    this.bridges.drain(bridge, false);
    for (const placement of this.placements.ofBridge(bridge)) this.placements.markLost(placement);
  }

  /** Removes bridges that have not been seen in time and marks their sessions lost. Returns the ids of these bridges. */
  expire(now: number): string[] {
    const dead = this.bridges.all().filter((bridge) => deadAt(bridge) <= now);
    for (const { id, lastSeenAt } of dead) {
      const lost = this.placements.ofBridge(id);
      for (const placement of lost) this.placements.markLost(placement);
      this.bridges.remove(id);
      log("pool.bridge_dead", { bridge: id, silent_ms: now - lastSeenAt, sessions: lost.length });
    }
    return dead.map(({ id }) => id);
  }

  nextDue(): number | null {
    const dues = this.bridges.all().map(deadAt);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Assigns queued requests to bridges that have room. */
  fill(now: number): void {
    for (const request of this.placements.queued(FILL_BATCH)) {
      // While builds have shares, one that finds no place says nothing about the next.
      if (!this.#assign(request, now) && this.rings.rollout === null) return;
    }
  }

  /** Sessions that are not where the builds' shares say, and for which there is room there. */
  *misplaced(): Generator<Placement> {
    if (this.rings.rollout === null) return;
    const connected = this.#connected().filter(({ draining }) => !draining);
    for (const bridge of connected) {
      const isNew = this.rings.isNew(bridge);
      const others = connected.filter((other) => this.rings.isNew(other) !== isNew);
      if (leastLoaded(others, this.#taken, this.#network) === null) continue;
      for (const placement of this.placements.ofBridge(bridge.id)) {
        if (this.rings.belongs(placement.connection) !== isNew && !this.#reserved.has(placement.connection)) yield placement;
      }
    }
  }

  /** What a build that was taken back still has is lost to it, as far as other bridges have room: it may not answer any more. */
  takeFromRejected(): void {
    const connected = this.#connected();
    const stuck = connected.filter((bridge) => this.rings.isNew(bridge)).flatMap(({ id }) => this.placements.ofBridge(id));
    // Places that were kept for them are free again.
    for (const { connection } of stuck) this.#reserved.delete(connection);
    const old = connected.filter((bridge) => !this.rings.isNew(bridge) && !bridge.draining);
    const room = old.reduce((sum, { id, capacity }) => sum + Math.max(0, capacity - this.#taken(id)), 0);
    for (const placement of stuck.slice(0, room)) this.placements.markLost(placement);
  }

  /** Sessions that the bridge has been given, and places that it keeps. */
  readonly #taken = (bridge: string): number => {
    const reserved = [...this.#reserved.values()].filter((to) => to === bridge).length;
    return this.placements.assigned(bridge) + reserved;
  };

  #choose(bridges: readonly Bridge[], connection: string): Bridge | null {
    for (const ring of this.rings.choices(bridges, connection, this.#connected())) {
      const best = leastLoaded(ring, this.#taken, this.#network);
      if (best !== null) return best;
    }
    return null;
  }

  #connected(): Bridge[] {
    return this.bridges.all().filter(({ network, detachedAt }) => network === this.#network && detachedAt === null);
  }

  #assign(request: PlacementRequest, now: number, reserved?: string): boolean {
    const all = this.bridges.all();
    const kept = all.filter(({ id }) => id === reserved);
    const bridge = leastLoaded(kept, this.#taken, this.#network) ?? this.#choose(all, request.connection);
    if (bridge === null) return false;
    const { connection, generation } = request;
    const ticket = this.#sockets.bindTicket(request.ticket, bridge.id);
    if (!this.#sockets.send(bridge.id, { type: "open", placement: { connection, generation }, ticket })) {
      this.bridges.detach(bridge.id, now);
      return this.#assign(request, now);
    }
    this.placements.assign(request, bridge.id, now);
    return true;
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

/** The bridge with the smallest share of its capacity taken, or null when none has room. `assigned` counts what it was given. */
export function leastLoaded(bridges: readonly Bridge[], assigned: (id: string) => number, network: Bridge["network"]): Bridge | null {
  const share = (bridge: Bridge) => assigned(bridge.id) / bridge.capacity;
  return bridges
    .filter((bridge) => bridge.network === network && !bridge.draining && bridge.detachedAt === null && share(bridge) < 1)
    .reduce<Bridge | null>((best, bridge) => {
      if (best === null) return bridge;
      const difference = share(bridge) - share(best) || bridge.cpu - best.cpu;
      return difference < 0 ? bridge : best;
    }, null);
}
