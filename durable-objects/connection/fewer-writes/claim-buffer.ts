// Claimed deliveries that wait in memory for a slot of their receiver. A claim costs a commit, so a fast receiver has more claims
// than slots (prefetch), and a new delivery with a free slot is stored as claimed instead of being claimed in a second step.
import { concurrencyFor } from "@gateway/domain/webhooks/delivery.ts";
import type { Endpoint } from "../delivery/endpoints.ts";
import type { Claim } from "../delivery/queue.ts";
import type { WaitingState } from "../delivery/states.ts";

export type BufferedClaim = { claim: Claim; kind: WaitingState; claimedAt: number };

/** Prefetches as many claims as the receiver accepts in `forMs`, judging by its last latency. */
const PREFETCH = { most: 120, forMs: 500 } as const;
/** Bounds memory: nothing is prefetched while the buffered bodies have more characters than this. */
const MAX_BUFFERED_CHARACTERS = 4_000_000;
/** A claim that has waited for longer returns to the queue: the receiver has become slower. */
const MAX_WAIT_MS = 1_000;

export class ClaimBuffer {
  readonly #byLane = new Map<number, BufferedClaim[]>();
  readonly #latencyMs = new Map<number, number>();
  readonly #staged = new Map<number, BufferedClaim[]>();
  #characters = 0;

  lanes(): Iterable<number> {
    return this.#byLane.keys();
  }

  has(lane: number): boolean {
    return this.#byLane.has(lane);
  }

  /** How many claims the endpoint may have in addition to its slots. */
  prefetchable({ lane, health }: Endpoint): number {
    const latencyMs = this.#latencyMs.get(lane);
    if (latencyMs === undefined || health.firstFailedAt !== null || health.recovering > 0 || this.#characters > MAX_BUFFERED_CHARACTERS)
      return 0;
    return Math.min(PREFETCH.most, Math.floor((concurrencyFor(health) * PREFETCH.forMs) / Math.max(1, latencyMs)));
  }

  count(lane: number): number {
    return (this.#byLane.get(lane)?.length ?? 0) + (this.#staged.get(lane)?.length ?? 0);
  }

  add(lane: number, claims: readonly BufferedClaim[]): void {
    if (claims.length === 0) return;
    this.#byLane.set(lane, [...(this.#byLane.get(lane) ?? []), ...claims]);
    for (const { claim } of claims) this.#characters += claim.text.length;
  }

  /** Begins a block whose claims count once it is committed (`promote`); drops those of a block that was rolled back. */
  begin(): void {
    this.#staged.clear();
  }

  stage(ready: BufferedClaim): void {
    const { lane } = ready.claim;
    const staged = this.#staged.get(lane);
    if (staged === undefined) this.#staged.set(lane, [ready]);
    else staged.push(ready);
  }

  promote(): void {
    for (const [lane, claims] of this.#staged) this.add(lane, claims);
    this.#staged.clear();
  }

  take(lane: number, count: number): BufferedClaim[] {
    const waiting = this.#byLane.get(lane);
    if (waiting === undefined || count <= 0) return [];
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#byLane.delete(lane);
    for (const { claim } of taken) this.#characters -= claim.text.length;
    return taken;
  }

  takeAll(lane: number): BufferedClaim[] {
    return this.take(lane, Number.POSITIVE_INFINITY);
  }

  /** Records the latency of an attempt. Returns false if the lane's oldest claim has waited for too long. */
  recordLatency(lane: number, latencyMs: number, now: number): boolean {
    this.#latencyMs.set(lane, latencyMs);
    const oldest = this.#byLane.get(lane)?.[0];
    return oldest === undefined || now - oldest.claimedAt <= MAX_WAIT_MS;
  }
}

/** Alternates between both as long as there are both. */
export function interleave(fresh: readonly BufferedClaim[], retries: readonly BufferedClaim[]): BufferedClaim[] {
  return Array.from({ length: Math.max(fresh.length, retries.length) }, (_, index) => [fresh[index], retries[index]])
    .flat()
    .filter((ready) => ready !== undefined);
}
