// Claimed deliveries that wait in memory for a slot. A claim costs a commit, so a fast receiver gets more claims than slots.
import { concurrencyFor } from "@gateway/domain/webhooks/delivery.ts";
import type { Endpoint } from "../delivery/endpoints.ts";
import type { Claim } from "../delivery/queue.ts";
import type { WaitingState } from "../delivery/states.ts";

export type BufferedClaim = { claim: Claim; kind: WaitingState; claimedAt: number };

/** Number of claims to prefetch: as many as the receiver accepts in `forMs` at its last latency, up to `most`. */
const PREFETCH = { most: 120, forMs: 500 } as const;
const MAX_BUFFERED_CHARACTERS = 4_000_000;
/** A claim that waited longer returns to the queue, because the receiver has become slower. */
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

  /** Begins a block, and drops the claims of an earlier one that was rolled back. `promote` is called after the commit. */
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

  /** Returns false if the lane's oldest claim has waited too long. */
  recordLatency(lane: number, latencyMs: number, now: number): boolean {
    this.#latencyMs.set(lane, latencyMs);
    const oldest = this.#byLane.get(lane)?.[0];
    return oldest === undefined || now - oldest.claimedAt <= MAX_WAIT_MS;
  }
}

export function interleave(fresh: readonly BufferedClaim[], retries: readonly BufferedClaim[]): BufferedClaim[] {
  return Array.from({ length: Math.max(fresh.length, retries.length) }, (_, index) => [fresh[index], retries[index]])
    .flat()
    .filter((ready) => ready !== undefined);
}
