// Deliveries that are claimed already and wait in memory for a slot of their receiver. Claims cost a commit, so a receiver that is
// quick has more of them than slots; and what has just happened is stored as claimed, with no second look at the storage.
import { concurrencyFor } from "../../../src/domain/webhooks/delivery.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Claim, Waiting } from "./queue.ts";

export type Ready = { claim: Claim; kind: Waiting; claimedAt: number };

/** As many beyond the slots as the receiver takes in so long, going by its last answer. */
const AHEAD = { most: 120, forMs: 500 } as const;
/** Bodies of claims wait in memory: beyond so many characters of them nothing is claimed ahead. */
const MOST_CHARACTERS = 4_000_000;
/** A claim that waits for longer goes back: the receiver is not what it was. */
const KEPT_MS = 1_000;

export class ReadyClaims {
  readonly #byLane = new Map<number, Ready[]>();
  readonly #latencyMs = new Map<number, number>();
  readonly #staged = new Map<number, Ready[]>();
  #characters = 0;

  lanes(): Iterable<number> {
    return this.#byLane.keys();
  }

  has(lane: number): boolean {
    return this.#byLane.has(lane);
  }

  /** How many claims the endpoint may have beyond its slots. */
  ahead({ lane, health }: Endpoint): number {
    const latencyMs = this.#latencyMs.get(lane);
    if (latencyMs === undefined || health.firstFailedAt !== null || this.#characters > MOST_CHARACTERS) return 0;
    return Math.min(AHEAD.most, Math.floor((concurrencyFor(health) * AHEAD.forMs) / Math.max(1, latencyMs)));
  }

  count(lane: number): number {
    return (this.#byLane.get(lane)?.length ?? 0) + (this.#staged.get(lane)?.length ?? 0);
  }

  add(lane: number, claims: readonly Ready[]): void {
    if (claims.length === 0) return;
    this.#byLane.set(lane, [...(this.#byLane.get(lane) ?? []), ...claims]);
    for (const { claim } of claims) this.#characters += claim.text.length;
  }

  /** Begins a block whose claims count once it stands (`promote`); those of a block that was rolled back are forgotten. */
  begin(): void {
    this.#staged.clear();
  }

  stage(ready: Ready): void {
    const { lane } = ready.claim;
    const staged = this.#staged.get(lane);
    if (staged === undefined) this.#staged.set(lane, [ready]);
    else staged.push(ready);
  }

  promote(): void {
    for (const [lane, claims] of this.#staged) this.add(lane, claims);
    this.#staged.clear();
  }

  take(lane: number, count: number): Ready[] {
    const waiting = this.#byLane.get(lane);
    if (waiting === undefined || count <= 0) return [];
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#byLane.delete(lane);
    for (const { claim } of taken) this.#characters -= claim.text.length;
    return taken;
  }

  takeAll(lane: number): Ready[] {
    return this.take(lane, Number.POSITIVE_INFINITY);
  }

  /** An attempt of the lane took so long. Answers whether what waits there may go on waiting. */
  landed(lane: number, latencyMs: number, now: number): boolean {
    this.#latencyMs.set(lane, latencyMs);
    const oldest = this.#byLane.get(lane)?.[0];
    return oldest === undefined || now - oldest.claimedAt <= KEPT_MS;
  }
}

/** Half of each, as long as there are both. */
export function alternate(fresh: readonly Ready[], retries: readonly Ready[]): Ready[] {
  return Array.from({ length: Math.max(fresh.length, retries.length) }, (_, index) => [fresh[index], retries[index]])
    .flat()
    .filter((ready) => ready !== undefined);
}
