// Group changes that Graph answers only with a `request_id`. A webhook reports their result (docs/use/cloud-api.md, "Groups").
import type { RequestOutcome } from "@gateway/domain/cloud/change-items.ts";

/** Maximum number of stored results that arrived before the response with their request id. The oldest are dropped. */
const MAX_EARLY = 100;

export class GroupRequests {
  readonly #waiting = new Map<string, (outcome: RequestOutcome) => void>();
  readonly #early = new Map<string, RequestOutcome>();

  wait(requestId: string, ms: number): Promise<RequestOutcome | null> {
    const early = this.#early.get(requestId);
    if (early !== undefined) {
      this.#early.delete(requestId);
      return Promise.resolve(early);
    }
    const { promise, resolve } = Promise.withResolvers<RequestOutcome | null>();
    const end = (outcome: RequestOutcome | null) => {
      clearTimeout(timer);
      this.#waiting.delete(requestId);
      resolve(outcome);
    };
    const timer = setTimeout(() => end(null), ms);
    this.#waiting.set(requestId, end);
    return promise;
  }

  settle(requestId: string, outcome: RequestOutcome): void {
    const settle = this.#waiting.get(requestId);
    if (settle !== undefined) return settle(outcome);
    this.#early.set(requestId, outcome);
    const [oldest] = this.#early.keys();
    if (this.#early.size > MAX_EARLY && oldest !== undefined) this.#early.delete(oldest);
  }
}
