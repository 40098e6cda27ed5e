// Callers waiting for the outcome of their sends. In memory only, because no caller waits across a crash.
import type { Outcome } from "@gateway/protocol/failures.ts";
import { SET_BACK_MS } from "@gateway/domain/clock-set-back.ts";
import type { SendResult } from "./outbox-rows.ts";

type SendOutcome = Outcome<SendResult>;

type Waiter = {
  /** Null if an earlier instance sent the message. */
  socket: object | null;
  /** Unix ms. */
  deadlineAt: number;
  /** Trace context of the span that covers the wait. */
  trace: string | undefined;
  settle: (outcome: SendOutcome) => void;
};

const CHECK_INTERVAL_MS = 10_000;

export class SendWaiters {
  readonly #waiters = new Map<string, Waiter>();
  readonly #expire: (messageId: string) => void;
  /** One timer for all waiters. It is cleared with the last one, because a pending timer prevents eviction of the object. */
  #timer: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;

  constructor(expire: (messageId: string) => void) {
    this.#expire = expire;
  }

  has(messageId: string): boolean {
    return this.#waiters.has(messageId);
  }

  get(messageId: string): Readonly<Waiter> | undefined {
    return this.#waiters.get(messageId);
  }

  add(messageId: string, socket: object | null, deadlineAt: number, now: number, trace?: string): Promise<SendOutcome> {
    this.followClock(now);
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    this.#waiters.set(messageId, { socket, deadlineAt, trace, settle: resolve });
    this.#setTimer(deadlineAt, now);
    return promise;
  }

  moveTo(messageId: string, socket: object): void {
    const waiter = this.#waiters.get(messageId);
    if (waiter !== undefined) waiter.socket = socket;
  }

  resolve(messageId: string, outcome: SendOutcome): void {
    const waiter = this.#waiters.get(messageId);
    this.#waiters.delete(messageId);
    if (this.#waiters.size === 0) this.#clearTimer();
    waiter?.settle(outcome);
  }

  /** Moves the deadlines if the clock was set back, that is, if the next check is further away than the interval between checks. */
  followClock(now: number, restMs = CHECK_INTERVAL_MS): void {
    const by = this.#timer === null ? 0 : this.#timer.at - now - restMs;
    if (by <= SET_BACK_MS) return;
    const deadlines = [...this.#waiters.values()].map((waiter) => (waiter.deadlineAt -= by));
    this.#setTimer(Math.min(...deadlines), now);
  }

  #setTimer(deadlineAt: number, now: number): void {
    const at = Math.min(deadlineAt, now + CHECK_INTERVAL_MS);
    if (this.#timer !== null && this.#timer.at <= at) return;
    this.#clearTimer();
    this.#timer = { at, timer: setTimeout(() => this.#checkDeadlines(), at - now) };
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer.timer);
    this.#timer = null;
  }

  #checkDeadlines(): void {
    const now = Date.now();
    this.followClock(now, 0);
    this.#clearTimer();
    const errors: unknown[] = [];
    for (const [id, { deadlineAt }] of this.#waiters) {
      if (deadlineAt > now) continue;
      try {
        this.#expire(id);
      } catch (error) {
        // Thrown after the loop, because the other callers must still get their outcome. This waiter is retried at the next check.
        errors.push(error);
      }
    }
    const later = [...this.#waiters.values()].map(({ deadlineAt }) => deadlineAt).filter((at) => at > now);
    if (errors.length > 0) later.push(now + CHECK_INTERVAL_MS);
    if (later.length > 0) this.#setTimer(Math.min(...later), now);
    if (errors.length > 0) throw errors[0];
  }
}
