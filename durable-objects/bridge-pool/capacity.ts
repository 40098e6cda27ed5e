// The bridges' load, kept sorted so that a placement does not scan all bridges.
import type { Bridge, Bridges } from "./bridges.ts";

export type BuildGroup = "new" | "other";
const BUILD_GROUPS: readonly BuildGroup[] = ["new", "other"];

type CapacityDependencies = {
  bridges: Pick<Bridges, "find" | "ids" | "isConnected" | "isUsable">;
  isNew(bridge: Bridge): boolean;
  assigned(bridge: string): number;
};

export class Capacity {
  readonly #deps: CapacityDependencies;
  readonly #orders: Readonly<Record<BuildGroup, Order>> = { new: new Order(), other: new Order() };
  readonly #connected: Readonly<Record<BuildGroup, Set<string>>> = { new: new Set(), other: new Set() };
  /** The bridge on which a moving session has reserved a slot. In memory only, so a restart sends it to the least loaded bridge. */
  readonly #reserved = new Map<string, string>();
  readonly #kept = new Map<string, number>();

  constructor(deps: CapacityDependencies) {
    this.#deps = deps;
    this.refresh();
  }

  refresh(): void {
    for (const id of this.#deps.bridges.ids()) this.changed(id);
  }

  changed(id: string): void {
    const bridge = this.#deps.bridges.find(id);
    const own = bridge !== undefined && this.#deps.isNew(bridge) ? "new" : "other";
    for (const group of BUILD_GROUPS) {
      const isHere = bridge !== undefined && group === own;
      if (isHere && this.#deps.bridges.isConnected(bridge)) this.#connected[group].add(id);
      else this.#connected[group].delete(id);
      if (isHere && this.#deps.bridges.isUsable(bridge)) this.#orders[group].put(bridge, this.#share(bridge));
      else this.#orders[group].remove(id);
    }
  }

  /** The least loaded bridge in this group, or null if all are full. CPU load breaks ties. */
  best(group: BuildGroup, except?: string): Bridge | null {
    return this.#orders[group].first(except);
  }

  hasSlot(bridge: Bridge): boolean {
    return this.#deps.bridges.isUsable(bridge) && this.#share(bridge) < 1;
  }

  get hasAnySlot(): boolean {
    return BUILD_GROUPS.some((group) => this.best(group) !== null);
  }

  get isOnlyBuild(): boolean {
    return this.#connected.new.size > 0 && this.#connected.other.size === 0;
  }

  left(bridge: Bridge): number {
    return Math.max(0, bridge.capacity - this.#taken(bridge.id));
  }

  reservedFor(connection: string): string | undefined {
    return this.#reserved.get(connection);
  }

  reserve(connection: string, bridge: string): void {
    this.#reserved.set(connection, bridge);
    this.#countReserved(bridge, 1);
  }

  cancel(connection: string): void {
    const bridge = this.#reserved.get(connection);
    if (bridge === undefined) return;
    this.#reserved.delete(connection);
    this.#countReserved(bridge, -1);
  }

  #countReserved(bridge: string, by: number): void {
    const kept = (this.#kept.get(bridge) ?? 0) + by;
    if (kept > 0) this.#kept.set(bridge, kept);
    else this.#kept.delete(bridge);
    this.changed(bridge);
  }

  #taken(bridge: string): number {
    return this.#deps.assigned(bridge) + (this.#kept.get(bridge) ?? 0);
  }

  #share(bridge: Bridge): number {
    return this.left(bridge) === 0 ? 1 : this.#taken(bridge.id) / bridge.capacity;
  }
}

type Ranked = { bridge: Bridge; id: string; share: number; cpu: number };

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
