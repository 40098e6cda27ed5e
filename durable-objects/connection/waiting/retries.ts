// Decides when a send that certainly was not sent is tried again.
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Participant } from "../commit-handler.ts";
import { NO_SESSION_CODES } from "../outbox/no-session.ts";

const RATE_LIMIT_PAUSE_MS = MINUTE_MS;
/** Sends blocked by WhatsApp or Meta are tried again after this time at the latest. */
const BLOCK_PAUSE_MS = 10 * MINUTE_MS;
const MAX_RETRY_DELAY_MS = MINUTE_MS;

/** Temporary failures that prove that the message was not sent, so it can go back to the waiting sends. */
const WAITS_AGAIN: ReadonlySet<FailureCode> = new Set([...NO_SESSION_CODES, "network_rate_limited"]);

/** How often the send was put back among the waiting sends, and when it is tried again (Unix ms). */
type Retry = { count: number; at: number };

export class Retries implements Participant {
  readonly #byId = new Map<string, Retry>();
  /** Retries of the sends that the running transaction put back. */
  readonly #staged: [messageId: string, retry: Retry][] = [];

  /** When the send may be tried (Unix ms), or 0 if it was never put back. */
  at(messageId: string): number {
    return this.#byId.get(messageId)?.at ?? 0;
  }

  /** Called in a transaction. */
  add(messageId: string, failure: Failure, now: number): void {
    const count = (this.#byId.get(messageId)?.count ?? 0) + 1;
    this.#staged.push([messageId, { count, at: now + retryDelay(failure, count) }]);
  }

  forget(messageId: string): void {
    this.#byId.delete(messageId);
  }

  clear(): void {
    this.#byId.clear();
  }

  committed(): void {
    for (const [messageId, retry] of this.#staged) this.#byId.set(messageId, retry);
    this.#staged.length = 0;
  }

  rolledBack(): void {
    this.#staged.length = 0;
  }

  savepoint(): () => void {
    const { length } = this.#staged;
    return () => void (this.#staged.length = length);
  }
}

/** Returns false if WhatsApp refuses the recipient, because waiting would not help and each attempt counts against the number. */
export function waitsAgain({ code, details }: Failure): boolean {
  return code === "temporarily_blocked" ? details?.["scope"] === "account" : WAITS_AGAIN.has(code);
}

/** How long all of the number's waiting sends pause. Meta blocks the account in every chat, and WhatsApp only in new ones. */
export function pauseAfter({ code, details, retryAfter }: Failure, kind: ConnectionKind): number {
  if (code === "network_rate_limited") return details?.["scope"] === "recipient" ? 0 : rateLimitPause(retryAfter);
  return code === "temporarily_blocked" && kind === "cloud_api" ? BLOCK_PAUSE_MS : 0;
}

/** How long this send and the sends behind it in its chat wait. The first retry is immediate, in case the number has just reconnected. */
function retryDelay({ code, retryAfter }: Failure, count: number): number {
  if (code === "network_rate_limited") return rateLimitPause(retryAfter);
  if (code === "temporarily_blocked") return Math.min(BLOCK_PAUSE_MS, (retryAfter ?? Number.POSITIVE_INFINITY) * 1000);
  return count === 1 ? 0 : Math.min(MAX_RETRY_DELAY_MS, 1_000 * 2 ** (count - 2));
}

const rateLimitPause = (retryAfter = 0) => retryAfter * 1000 + RATE_LIMIT_PAUSE_MS;
