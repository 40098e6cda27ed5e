// Callers that wait for the end of their sends. Lives in memory: after a crash nobody waits.
import type { Outcome } from "../../../src/protocol/failures.ts";
import type { SendResult } from "./rows.ts";

type Ended = Outcome<SendResult>;

/** `socket`: over which the send was asked in this life; null when it was in an earlier one. `deadlineAt` in Unix ms. */
type Caller = { socket: WebSocket | null; deadlineAt: number; settle: (outcome: Ended) => void };

/** A timer keeps the object awake, also when nobody waits any more: it is set for no longer than an idle object is awake anyway. */
const LOOKS_EVERY_MS = 10_000;

export class Waiting {
  readonly #callers = new Map<string, Caller>();
  readonly #expire: (messageId: string) => void;
  /** One timer for all: one per send, set and cleared again, costs the object more than what it looks up for it. */
  #alarm: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;

  /** `expire` is told whose time is over. */
  constructor(expire: (messageId: string) => void) {
    this.#expire = expire;
  }

  has(messageId: string): boolean {
    return this.#callers.has(messageId);
  }

  of(messageId: string): Readonly<Caller> | undefined {
    return this.#callers.get(messageId);
  }

  add(messageId: string, socket: WebSocket | null, deadlineAt: number, now: number): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.#callers.set(messageId, { socket, deadlineAt, settle: resolve });
    this.#wakeAt(deadlineAt, now);
    return promise;
  }

  /** The send was asked for again, over another socket. */
  move(messageId: string, socket: WebSocket): void {
    const caller = this.#callers.get(messageId);
    if (caller !== undefined) caller.socket = socket;
  }

  answer(messageId: string, outcome: Ended): void {
    const caller = this.#callers.get(messageId);
    this.#callers.delete(messageId);
    caller?.settle(outcome);
  }

  #wakeAt(deadlineAt: number, now: number): void {
    const at = Math.min(deadlineAt, now + LOOKS_EVERY_MS);
    if (this.#alarm !== null && this.#alarm.at <= at) return;
    if (this.#alarm !== null) clearTimeout(this.#alarm.timer);
    this.#alarm = { at, timer: setTimeout(() => this.#awake(), at - now) };
  }

  #awake(): void {
    this.#alarm = null;
    const now = Date.now();
    for (const [id, { deadlineAt }] of this.#callers) if (deadlineAt <= now) this.#expire(id);
    const later = [...this.#callers.values()].map(({ deadlineAt }) => deadlineAt).filter((at) => at > now);
    if (later.length > 0) this.#wakeAt(Math.min(...later), now);
  }
}
