// Remembers ringing calls. A rejection must go to the JID in the call's offer, which API callers do not know.
import { boundedCache, perSession } from "../session/per-session.ts";

type RingingCall = { from: string; at: number };

const MAX_CALLS = 100;

class RingingCalls {
  readonly #ringing = boundedCache<string, RingingCall>(MAX_CALLS);
  readonly #rejectedHere = boundedCache<string, true>(MAX_CALLS);

  add(callId: string, call: RingingCall): void {
    this.#ringing.set(callId, call);
  }

  find(callId: string): RingingCall | undefined {
    return this.#ringing.get(callId);
  }

  remove(callId: string): void {
    this.#ringing.delete(callId);
  }

  /** The end of a call rejected through the API is not reported (docs/use/connection-api.md, "Changes"). */
  rejected(callId: string): void {
    this.#rejectedHere.set(callId, true);
  }

  notRejected(callId: string): void {
    this.#rejectedHere.delete(callId);
  }

  wasRejectedHere(callId: string): boolean {
    return this.#rejectedHere.has(callId);
  }
}

export const ringingCallsOf = perSession(() => new RingingCalls());
