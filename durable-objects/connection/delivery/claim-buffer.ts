// Claimed deliveries waiting for a slot. Every claim costs a commit, so a fast receiver claims more at once than it has slots.
import { concurrencyFor } from "@gateway/domain/webhooks/delivery.ts";
import type { Participant } from "../commit-handler.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Claim } from "./queue.ts";
import type { WaitingState } from "./states.ts";

export type BufferedClaim = { claim: Claim; kind: WaitingState; claimedAt: number };

/** Number of claims to prefetch: the number that the receiver accepts in `forMs` at its latest latency, up to `most`. */
const PREFETCH = { most: 120, forMs: 500 } as const;
const MAX_BUFFERED_CHARACTERS = 4_000_000;
/** A claim that has waited longer returns to the queue, because the receiver has become slower. */
const MAX_WAIT_MS = 1_000;

export class ClaimBuffer implements Participant {
  readonly #byQueue = new Map<number, BufferedClaim[]>();
  readonly #latencyMs = new Map<number, number>();
  /** Claims of deliveries that the running transaction stores. */
  readonly #staged = new Map<number, BufferedClaim[]>();
  #characters = 0;

  queues(): Iterable<number> {
    return this.#byQueue.keys();
  }

  has(queueId: number): boolean {
    return this.#byQueue.has(queueId);
  }

  prefetchable({ queueId, health }: Endpoint): number {
    const latencyMs = this.#latencyMs.get(queueId);
    if (latencyMs === undefined || health.firstFailedAt !== null || health.recovering > 0 || this.#characters > MAX_BUFFERED_CHARACTERS)
      return 0;
    return Math.min(PREFETCH.most, Math.floor((concurrencyFor(health) * PREFETCH.forMs) / Math.max(1, latencyMs)));
  }

  count(queueId: number): number {
    return (this.#byQueue.get(queueId)?.length ?? 0) + (this.#staged.get(queueId)?.length ?? 0);
  }

  add(queueId: number, claims: readonly BufferedClaim[]): void {
    if (claims.length === 0) return;
    this.#byQueue.set(queueId, [...(this.#byQueue.get(queueId) ?? []), ...claims]);
    for (const { claim } of claims) this.#characters += claim.text.length;
  }

  stage(ready: BufferedClaim): void {
    const { queueId } = ready.claim;
    const staged = this.#staged.get(queueId);
    if (staged === undefined) this.#staged.set(queueId, [ready]);
    else staged.push(ready);
  }

  committed(): void {
    for (const [queueId, claims] of this.#staged) this.add(queueId, claims);
    this.#staged.clear();
  }

  rolledBack(): void {
    this.#staged.clear();
  }

  savepoint(): () => void {
    const staged = new Map([...this.#staged].map(([queueId, { length }]) => [queueId, length]));
    return () => {
      for (const [queueId, claims] of this.#staged) claims.length = staged.get(queueId) ?? 0;
    };
  }

  take(queueId: number, count: number): BufferedClaim[] {
    const waiting = this.#byQueue.get(queueId);
    if (waiting === undefined || count <= 0) return [];
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#byQueue.delete(queueId);
    for (const { claim } of taken) this.#characters -= claim.text.length;
    return taken;
  }

  takeAll(queueId: number): BufferedClaim[] {
    return this.take(queueId, Number.POSITIVE_INFINITY);
  }

  /** Returns false if the queue's oldest claim has waited too long. */
  recordLatency(queueId: number, latencyMs: number, now: number): boolean {
    this.#latencyMs.set(queueId, latencyMs);
    const oldest = this.#byQueue.get(queueId)?.[0];
    return oldest === undefined || now - oldest.claimedAt <= MAX_WAIT_MS;
  }
}

export function interleave(fresh: readonly BufferedClaim[], retries: readonly BufferedClaim[]): BufferedClaim[] {
  return Array.from({ length: Math.max(fresh.length, retries.length) }, (_, index) => [fresh[index], retries[index]])
    .flat()
    .filter((ready) => ready !== undefined);
}
