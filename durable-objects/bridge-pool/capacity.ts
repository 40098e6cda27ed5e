// How full each bridge is, and which one has the smallest share of its capacity taken. They are kept in that order, so that no placement
// looks at all of them.
import type { Bridge, Bridges } from "./bridges.ts";

/** Of the bridges that may be chosen: the build that has a share, or any other. */
export type Ring = "new" | "other";
const RINGS: readonly Ring[] = ["new", "other"];

type RoomsDependencies = {
  bridges: Pick<Bridges, "find" | "ids" | "isConnected" | "isUsable">;
  isNew(bridge: Bridge): boolean;
  /** Sessions that the bridge was given. */
  assigned(bridge: string): number;
};

export class Rooms {
  readonly #deps: RoomsDependencies;
  readonly #orders: Readonly<Record<Ring, Order>> = { new: new Order(), other: new Order() };
  readonly #connected: Readonly<Record<Ring, Set<string>>> = { new: new Set(), other: new Set() };
  /** By connection: the bridge that keeps a place for a session that moves to it. In memory: after a restart the least loaded one gets it. */
  readonly #reserved = new Map<string, string>();
  readonly #kept = new Map<string, number>();

  constructor(deps: RoomsDependencies) {
    this.#deps = deps;
    this.refresh();
  }

  /** What makes a bridge one of the new build has changed. */
  refresh(): void {
    for (const id of this.#deps.bridges.ids()) this.changed(id);
  }

  /** The bridge has come or gone, said something else of itself, or was given or lost a session. */
  changed(id: string): void {
    const bridge = this.#deps.bridges.find(id);
    const own = bridge !== undefined && this.#deps.isNew(bridge) ? "new" : "other";
    for (const ring of RINGS) {
      const isHere = bridge !== undefined && ring === own;
      if (isHere && this.#deps.bridges.isConnected(bridge)) this.#connected[ring].add(id);
      else this.#connected[ring].delete(id);
      if (isHere && this.#deps.bridges.isUsable(bridge)) this.#orders[ring].put(bridge, this.#share(bridge));
      else this.#orders[ring].remove(id);
    }
  }

  /** The one of this ring with the smallest share taken, among equals with the least CPU load; null when none has room. */
  best(ring: Ring, except?: string): Bridge | null {
    return this.#orders[ring].first(except);
  }

  hasRoom(bridge: Bridge): boolean {
    return this.#deps.bridges.isUsable(bridge) && this.#share(bridge) < 1;
  }

  get hasAnyRoom(): boolean {
    return RINGS.some((ring) => this.best(ring) !== null);
  }

  /** All bridges that are connected run the new build. */
  get isOnlyBuild(): boolean {
    return this.#connected.new.size > 0 && this.#connected.other.size === 0;
  }

  /** Sessions that it could still be given. */
  left(bridge: Bridge): number {
    return Math.max(0, bridge.capacity - this.#taken(bridge.id));
  }

  reservedFor(connection: string): string | undefined {
    return this.#reserved.get(connection);
  }

  reserve(connection: string, bridge: string): void {
    this.#reserved.set(connection, bridge);
    this.#keep(bridge, 1);
  }

  cancel(connection: string): void {
    const bridge = this.#reserved.get(connection);
    if (bridge === undefined) return;
    this.#reserved.delete(connection);
    this.#keep(bridge, -1);
  }

  #keep(bridge: string, by: number): void {
    const kept = (this.#kept.get(bridge) ?? 0) + by;
    if (kept > 0) this.#kept.set(bridge, kept);
    else this.#kept.delete(bridge);
    this.changed(bridge);
  }

  /** Sessions that the bridge has been given, and places that it keeps. */
  #taken(bridge: string): number {
    return this.#deps.assigned(bridge) + (this.#kept.get(bridge) ?? 0);
  }

  #share(bridge: Bridge): number {
    return this.left(bridge) === 0 ? 1 : this.#taken(bridge.id) / bridge.capacity;
  }
}

type Ranked = { bridge: Bridge; id: string; share: number; cpu: number };

/** Bridges by the share that is taken, then by CPU load. */
class Order {
  readonly #ranked: Ranked[] = [];
  readonly #byId = new Map<string, Ranked>();

  put(bridge: Bridge, share: number): void {
    const { id, cpu } = bridge;
    const before = this.#byId.get(id);
    if (before?.bridge === bridge && before.share === share && before.cpu === cpu) return;
    this.remove(id);
    const ranked = { bridge, id, share, cpu };
    this.#byId.set(id, ranked);
    this.#ranked.splice(this.#at(ranked), 0, ranked);
  }

  remove(id: string): void {
    const ranked = this.#byId.get(id);
    if (ranked === undefined) return;
    this.#byId.delete(id);
    this.#ranked.splice(this.#at(ranked), 1);
  }

  first(except?: string): Bridge | null {
    const [one, two] = this.#ranked;
    const first = one?.id === except ? two : one;
    return first === undefined || first.share >= 1 ? null : first.bridge;
  }

  /** Where it is, or would be. */
  #at(ranked: Ranked): number {
    let [low, high] = [0, this.#ranked.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#ranked[middle] ?? ranked, ranked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(a: Ranked, b: Ranked): number {
  return a.share - b.share || a.cpu - b.cpu || (a.id < b.id ? -1 : Number(a.id > b.id));
}
