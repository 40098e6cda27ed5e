// What the pool decides: which bridge gets a session, and which connections lose theirs. All synchronous, over the two tables.
import type { FromBridgeControl, Placement, ToBridgeControl } from "../../src/protocol/bridge-socket.ts";
import { log } from "../../src/log.ts";
import { type Bridge, Bridges, deadAt } from "./bridges.ts";
import { leastLoaded } from "./choose.ts";
import { Placements, type Wish } from "./placements.ts";

/** Frames to the sockets of bridges. `send` is false when the bridge's socket is not here. */
export type ControlSockets = { send(bridge: string, frame: ToBridgeControl): boolean };

const FILLED_AT_ONCE = 500;

export class Pool {
  readonly bridges: Bridges;
  readonly placements: Placements;
  readonly #sockets: ControlSockets;
  readonly #network: Bridge["network"];

  constructor(sql: SqlStorage, sockets: ControlSockets, network: Bridge["network"]) {
    this.bridges = new Bridges(sql);
    this.placements = new Placements(sql);
    this.#sockets = sockets;
    this.#network = network;
  }

  /** Finds a bridge for the session, or keeps the wish until one has room. A wish of an older generation is late. */
  place(wish: Wish, now: number): { queued: boolean } {
    const known = this.placements.find(wish.connection);
    if (known !== null && known.generation > wish.generation) return { queued: false };
    // Two bridges must never hold tickets of one generation: they would drive each other out for ever.
    if (known?.generation === wish.generation && known.bridge !== null) return { queued: false };
    // Given back first: its own place is free for it.
    this.placements.remove(wish.connection);
    if (this.#give(wish, now)) return { queued: false };
    this.placements.wish(wish, now);
    return { queued: true };
  }

  /** No session below this generation is wanted. Its bridge hears it from the connection itself. */
  release(connection: string, below: number, now: number): void {
    const known = this.placements.find(connection);
    if (known === null || known.generation >= below) return;
    this.placements.remove(connection);
    this.fill(now);
  }

  greet(hello: Extract<FromBridgeControl, { type: "hello" }>, now: number): void {
    this.bridges.greet(hello, now);
    const held = new Map(hello.sessions.map(({ connection, generation }) => [connection, generation]));
    for (const placement of this.placements.ofBridge(hello.bridge_id)) {
      if (held.get(placement.connection) !== placement.generation) this.placements.lose(placement);
    }
    for (const session of hello.sessions) this.#reconcile(hello.bridge_id, session, now);
    this.fill(now);
  }

  /** The bridge gave it up by itself; if the connection still wants it, it will say so. */
  gone(bridge: string, placement: Placement, now: number): void {
    const known = this.placements.find(placement.connection);
    if (known?.bridge === bridge && known.generation === placement.generation) this.placements.lose(placement);
    this.fill(now);
  }

  /** Nothing new goes there, and what is there goes elsewhere. */
  drain(bridge: string): void {
    this.bridges.drain(bridge);
    for (const placement of this.placements.ofBridge(bridge)) this.placements.lose(placement);
  }

  /** Bridges that have not been heard in time are dead. Their ids. */
  bury(now: number): string[] {
    const dead = this.bridges.all().filter((bridge) => deadAt(bridge) <= now);
    for (const { id, heardAt } of dead) {
      const lost = this.placements.ofBridge(id);
      for (const placement of lost) this.placements.lose(placement);
      this.bridges.remove(id);
      log("pool.bridge_dead", { bridge: id, silent_ms: now - heardAt, sessions: lost.length });
    }
    return dead.map(({ id }) => id);
  }

  nextDue(): number | null {
    const dues = this.bridges.all().map(deadAt);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Gives waiting wishes to bridges that have room. */
  fill(now: number): void {
    for (const wish of this.placements.wishes(FILLED_AT_ONCE)) if (!this.#give(wish, now)) return;
  }

  #give(wish: Wish, now: number): boolean {
    const bridge = leastLoaded(this.bridges.all(), this.placements.assigned, this.#network);
    if (bridge === null) return false;
    const { connection, generation, ticket } = wish;
    if (!this.#sockets.send(bridge.id, { type: "open", placement: { connection, generation }, ticket })) {
      this.bridges.detach(bridge.id, now);
      return this.#give(wish, now);
    }
    this.placements.give(wish, bridge.id, now);
    return true;
  }

  /** A session the bridge says it holds after a redial. One that was meanwhile declared lost, and not yet moved, stays with it. */
  #reconcile(bridge: string, session: Placement, now: number): void {
    const known = this.placements.find(session.connection);
    if (known?.generation === session.generation && (known.bridge === bridge || known.lost)) {
      if (known.lost) this.placements.give(session, bridge, now);
      return;
    }
    this.#sockets.send(bridge, { type: "close", placement: session });
  }
}
