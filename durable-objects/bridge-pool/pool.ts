// Assigns sessions to bridges, and determines which connections lose their bridge. Works synchronously on two tables.
import type { FromBridgeControl, Placement, ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { log } from "#root/src/log.ts";
import { type Bridge, Bridges, type Pings } from "./bridges.ts";
import { Placements, type PlacementRequest } from "./placements.ts";
import { BuildShare } from "./build-shares/build-share.ts";
import { Capacity } from "./capacity.ts";
import { isSuccessor, waitsForSuccessor } from "./successors.ts";
import { DialBacklog } from "./dial-backlog.ts";
import type { BridgeView, Placed } from "#root/src/services/bridges/pool-stub.ts";

/** `send` returns false if this object has no socket for the bridge. `bindTicket` ties a ticket to one bridge. */
export type ControlSockets = Pings & {
  send(bridge: string, frame: ToBridgeControl): boolean;
  bindTicket(ticket: string, bridge: string): string;
};

const FILL_BATCH = 500;

export class Pool {
  readonly bridges: Bridges;
  readonly placements: Placements;
  readonly buildShare: BuildShare;
  readonly #capacity: Capacity;
  readonly #sockets: ControlSockets;
  readonly #backlog = new DialBacklog();

  constructor(sql: SqlStorage, sockets: ControlSockets, network: Bridge["network"]) {
    const changed = (bridge: string): void => this.#capacity.changed(bridge);
    this.bridges = new Bridges(sql, network, sockets, changed);
    this.placements = new Placements(sql, changed);
    this.buildShare = new BuildShare(sql, () => this.#capacity.refresh());
    this.#sockets = sockets;
    const { bridges, buildShare, placements } = this;
    this.#capacity = new Capacity({ bridges, isNew: (bridge) => buildShare.isNew(bridge), assigned: placements.assigned });
  }

  views(): Omit<BridgeView, "container">[] {
    return this.bridges.all().map((bridge) => viewOf(bridge, this.placements.assigned(bridge.id)));
  }

  /** Assigns the session to a bridge, or queues the request. Ignores requests from an older generation. */
  place(request: PlacementRequest, now: number): Placed {
    const known = this.placements.find(request.connection);
    if (known !== null && known.generation > request.generation) return { queued: false };
    // Keeps an existing placement, because two bridges with tickets for the same generation would evict each other forever.
    if (known?.generation === request.generation && known.bridge !== null) return this.#placedOn(known.bridge, now);
    // Vacates the earlier placement first, so that its slot is free for the new one.
    if (known !== null) this.placements.vacate(known);
    const reserved = this.#capacity.reservedFor(request.connection);
    this.#capacity.cancel(request.connection);
    const bridge = this.#assign(request, now, reserved);
    if (bridge !== null) return this.#placedOn(bridge, now);
    this.placements.enqueue(request, now);
    return { queued: true };
  }

  /** Deletes the connection's placements of earlier generations. The connection itself stops these sessions on their bridge. */
  release(connection: string, below: number, now: number): void {
    const known = this.placements.find(connection);
    if (known === null || known.generation >= below) return;
    this.placements.remove(connection);
    this.fill(now);
  }

  /** Asks the bridge to reconnect a session that a caller is waiting for. Returns false if the bridge could not be reached. */
  redial(placement: Placement): boolean {
    const known = this.placements.find(placement.connection);
    if (known === null || known.bridge === null || known.generation !== placement.generation) return false;
    return this.#sockets.send(known.bridge, { type: "redial", placement });
  }

  register(hello: Extract<FromBridgeControl, { type: "hello" }>, now: number): void {
    this.placements.revive(hello.bridge_id);
    this.bridges.register(hello, now);
    const reported = new Map(hello.sessions.map(({ connection, generation }) => [connection, generation]));
    for (const placement of this.placements.ofBridge(hello.bridge_id)) {
      if (reported.get(placement.connection) !== placement.generation) this.placements.markLost(placement);
    }
    for (const session of hello.sessions) this.#reconcile(hello.bridge_id, session, now);
    this.fill(now);
  }

  /** Called when the bridge has given up the session. If the connection still needs a bridge, it requests a new placement. */
  gone(bridge: string, placement: Placement, now: number): void {
    const known = this.placements.find(placement.connection);
    if (known?.bridge === bridge && known.generation === placement.generation) this.placements.markLost(placement);
    this.fill(now);
  }

  /** Reserves a slot. Fails with `instance_not_connected`, `bridge_not_found`, `already_on_bridge`, `bridge_draining` or `bridge_full`. */
  reserve(connection: string, to: string | null): Outcome<{ placement: Placement; from: string; to: string }> {
    const known = this.placements.find(connection);
    if (known === null || known.bridge === null || this.#capacity.reservedFor(connection) !== undefined)
      return fail("instance_not_connected");
    const named = to === null ? undefined : this.bridges.find(to);
    if (to !== null && (named === undefined || !this.bridges.isConnected(named))) return fail("bridge_not_found");
    if (named?.id === known.bridge) return fail("already_on_bridge");
    if (named?.draining === true) return fail("bridge_draining");
    const chosen = named === undefined ? (this.#successor(known.bridge) ?? this.#choose(connection, known.bridge)) : this.#ifFree(named);
    if (chosen === null) return fail("bridge_full");
    this.#capacity.reserve(connection, chosen.id);
    return succeed({ placement: known, from: known.bridge, to: chosen.id });
  }

  cancelReservation(connection: string): void {
    this.#capacity.cancel(connection);
  }

  /** True if this bridge is about to be stopped, but keeps its sessions until a container with another build can take them. */
  awaitsSuccessor(bridge: Bridge, now: number): boolean {
    return this.buildShare.rollout === null && this.#successor(bridge.id) === null && waitsForSuccessor(bridge, this.#usable(), now);
  }

  slotsBeside(bridge: string): number {
    return this.#slotsIn(this.#usable().filter(({ id }) => id !== bridge));
  }

  /** Called when the bridge is shutting down. It gets no new sessions, and its current ones are marked lost. */
  leave(bridge: string): void {
    this.bridges.drain(bridge, false);
    this.placements.loseAll(bridge);
  }

  /** Gives up bridges whose deadline has passed, along with their sessions. Returns the bridges' ids. */
  expire(now: number): string[] {
    const dead = this.bridges.dead(now);
    for (const { id, lastSeenAt } of dead) {
      const sessions = this.placements.loseAll(id);
      this.bridges.giveUp(id, now);
      this.#backlog.forget(id);
      if (!this.placements.isGone(id)) this.bridges.forget(id);
      log("pool.bridge_dead", { bridge: id, silent_ms: now - lastSeenAt, sessions });
    }
    return dead.map(({ id }) => id);
  }

  clearDead(): void {
    for (const bridge of this.placements.clearGone()) this.bridges.forget(bridge);
  }

  clockSetBack(now: number): void {
    this.bridges.clockSetBack(now);
    this.buildShare.clockSetBack(now);
    this.#backlog.clockSetBack();
  }

  nextDue(): number | null {
    return this.bridges.nextCheck();
  }

  fill(now: number): void {
    if (!this.#capacity.hasAnySlot) return;
    for (const request of this.placements.queued(FILL_BATCH)) {
      // During a rollout, tries the next request too, because it may be for a build that still has a free slot.
      if (this.#assign(request, now) === null && this.buildShare.rollout === null) return;
    }
  }

  /** Sessions on the wrong build for which the right build has a free slot. */
  *misplaced(): Generator<Placement> {
    if (this.buildShare.rollout === null) return;
    for (const bridge of this.#usable()) {
      const isNew = this.buildShare.isNew(bridge);
      if (this.#capacity.best(isNew ? "other" : "new") === null) continue;
      for (const placement of this.placements.ofBridge(bridge.id)) {
        const { connection } = placement;
        if (this.buildShare.belongs(connection) !== isNew && this.#capacity.reservedFor(connection) === undefined) yield placement;
      }
    }
  }

  /** Marks the sessions of a rejected build as lost if other bridges have slots, because the rejected build may ignore move requests. */
  takeFromRejected(): void {
    const connected = this.bridges.all().filter((bridge) => this.bridges.isConnected(bridge));
    const stuck = connected.filter((bridge) => this.buildShare.isNew(bridge)).flatMap(({ id }) => this.placements.ofBridge(id));
    for (const { connection } of stuck) this.#capacity.cancel(connection);
    const free = this.#slotsIn(this.#usable().filter((bridge) => !this.buildShare.isNew(bridge)));
    for (const placement of stuck.slice(0, free)) this.placements.markLost(placement);
  }

  #usable(): Bridge[] {
    return this.bridges.usable().flatMap((id) => this.bridges.find(id) ?? []);
  }

  #slotsIn(bridges: readonly Bridge[]): number {
    return bridges.reduce((sum, bridge) => sum + this.#capacity.left(bridge), 0);
  }

  #choose(connection: string, except?: string): Bridge | null {
    for (const group of this.buildShare.choices(connection, this.#capacity.isOnlyBuild)) {
      const best = this.#capacity.best(group, except);
      if (best !== null) return best;
    }
    return null;
  }

  /** The least loaded bridge that can succeed a draining bridge. Null during a rollout, because a rollout moves sessions by build. */
  #successor(id: string): Bridge | null {
    const from = this.bridges.find(id);
    if (from?.draining !== true || this.buildShare.rollout !== null) return null;
    const free = this.#usable().filter((other) => isSuccessor(from, other) && this.#capacity.hasSlot(other));
    return free.toSorted((a, b) => this.#capacity.left(b) - this.#capacity.left(a))[0] ?? null;
  }

  #ifFree(bridge: Bridge | undefined): Bridge | null {
    return bridge !== undefined && this.#capacity.hasSlot(bridge) ? bridge : null;
  }

  #placedOn(bridge: string, now: number): Placed {
    const waitMs = this.#backlog.waitMs(bridge, now);
    return { queued: false, ...(waitMs > 0 && { wait_ms: waitMs }) };
  }

  #assign(request: PlacementRequest, now: number, reserved?: string): string | null {
    const kept = reserved === undefined ? null : this.#ifFree(this.bridges.find(reserved));
    const bridge = kept ?? this.#choose(request.connection);
    if (bridge === null) return null;
    const { connection, generation } = request;
    const ticket = this.#sockets.bindTicket(request.ticket, bridge.id);
    if (!this.#sockets.send(bridge.id, { type: "open", placement: { connection, generation }, ticket })) {
      this.bridges.detach(bridge.id, now);
      return this.#assign(request, now);
    }
    this.placements.assign(request, bridge.id, now);
    this.#backlog.given(bridge.id, now);
    return bridge.id;
  }

  /** A session reported after a reconnect stays, unless it has been placed elsewhere. */
  #reconcile(bridge: string, session: Placement, now: number): void {
    const known = this.placements.find(session.connection);
    if (known?.generation === session.generation && (known.bridge === bridge || known.lostBy === bridge)) {
      if (known.lost) this.placements.assign(session, bridge, now);
      return;
    }
    this.#sockets.send(bridge, { type: "close", placement: session });
  }
}

function viewOf(bridge: Bridge, assigned: number): Omit<BridgeView, "container"> {
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
