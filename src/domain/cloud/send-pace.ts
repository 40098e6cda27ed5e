// How many messages of one number Graph gets at once (docs/use/cloud-api.md, "Sending"): it grows with need, and shrinks when Graph says that it
// is too much or says nothing at all.
import { notAhead } from "../set-back.ts";

const INITIAL_LIMIT = 10;
/** At half a second an answer that is more than Meta's default of 80 messages a second. */
const MAX_LIMIT = 100;
const MIN_LIMIT = 2;
/** One more at most this often, on average: answers come in bursts. A faster growth would overshoot Meta's limit by much. */
const GROW_MS = 100;
/** Once Graph has said where its limit is. */
const GROW_CAREFULLY_MS = 2_000;
const BURST_MS = 1_000;

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** Before the first answer. */
const FIRST_GUESS_MS = 500;
const MARGIN = 1.5;
/** A Graph that is slower than this may answer in time all the same. */
const MAX_RESERVE_MS = 5_000;
/** The part by which one quicker answer lowers the expectation. */
const FORGETS = 1 / 20;

export class SendPace {
  #limit = INITIAL_LIMIT;
  #growMs = GROW_MS;
  #underway = 0;
  #grewAt = 0;
  #shrankAt = 0;
  #answeredAt = 0;
  #answerMs = FIRST_GUESS_MS;
  #pause: { until: number; ms: number } | null = null;

  get limit(): number {
    return this.#limit;
  }

  hasRoom(now: number): boolean {
    return this.#underway < this.#limit && this.pausedMs(now) === 0;
  }

  /** Until when (ms from now) Graph is not asked, because it has refused the last one for its rate. */
  pausedMs(now: number): number {
    const pause = this.#pauseAt(now);
    return pause === null ? 0 : Math.max(0, Math.min(pause.until - now, pause.ms));
  }

  /** A pause that began before the clock was set back is over. */
  #pauseAt(now: number): { until: number; ms: number } | null {
    if (this.#pause !== null) this.#pause = { ...this.#pause, until: notAhead(this.#pause.until, this.#pause.ms, now) };
    return this.#pause;
  }

  /** A request that began as soon as it may would be answered by `deadlineAt`, as far as Graph's last answers tell. */
  canAnswerBy(deadlineAt: number, now: number): boolean {
    return now + this.pausedMs(now) + Math.min(this.#answerMs * MARGIN, MAX_RESERVE_MS) <= deadlineAt;
  }

  begin(): void {
    this.#underway += 1;
  }

  /** It does not count any more: it was answered, or has taken so long that others go on without it. */
  free(): void {
    this.#underway -= 1;
  }

  /** `grows`: Graph took the message, and others wait for its place. */
  answered(begunAt: number, grows: boolean, now: number): void {
    const tookMs = now - begunAt;
    this.#answerMs = Math.max(tookMs, this.#answerMs + (tookMs - this.#answerMs) * FORGETS);
    this.#answeredAt = now;
    if (this.#pause !== null && begunAt >= this.#pause.until) this.#pause = null;
    const grewAt = Math.min(now, Math.max(this.#grewAt, now - Math.max(BURST_MS, this.#growMs)));
    if (!grows || this.#limit >= MAX_LIMIT || now - grewAt < this.#growMs) return;
    this.#limit += 1;
    this.#grewAt = grewAt + this.#growMs;
  }

  /** Graph takes no more for now. What had begun before the pause says nothing new. */
  held(begunAt: number, now: number): void {
    this.#answeredAt = now;
    const pause = this.#pauseAt(now);
    if (pause !== null && begunAt < pause.until) return;
    const ms = pause === null ? PAUSE_MS : Math.min(pause.ms * 2, MAX_PAUSE_MS);
    this.#pause = { until: now + ms, ms };
    this.#growMs = GROW_CAREFULLY_MS;
    this.#shrink(now);
  }

  /** It has waited long. If Graph has answered nothing else meanwhile, it may not bear so many. */
  overdue(begunAt: number, now: number): void {
    if (this.#answeredAt < begunAt && this.#shrankAt < begunAt) this.#shrink(now);
  }

  #shrink(now: number): void {
    this.#limit = Math.max(MIN_LIMIT, Math.floor(this.#limit / 2));
    this.#shrankAt = now;
    this.#grewAt = now;
  }
}
