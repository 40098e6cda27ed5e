// How many sends may be in flight to Graph. Grows on demand; shrinks when Graph throttles or is silent.
import { notAhead } from "../set-back.ts";

const INITIAL_LIMIT = 10;
/** With responses in half a second, this exceeds Meta's default of 80 messages a second. */
const MAX_LIMIT = 100;
const MIN_LIMIT = 2;
/** Average interval between increases. Responses come in bursts, so faster growth would overshoot Meta's limit. */
const GROW_MS = 100;
const GROW_CAREFULLY_MS = 2_000;
const BURST_MS = 1_000;

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

const FIRST_GUESS_MS = 500;
const MARGIN = 1.5;
/** Caps the reserve, because a Graph slower than this may still respond in time. */
const MAX_RESERVE_MS = 5_000;
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

  pausedMs(now: number): number {
    const pause = this.#pauseAt(now);
    return pause === null ? 0 : Math.max(0, Math.min(pause.until - now, pause.ms));
  }

  #pauseAt(now: number): { until: number; ms: number } | null {
    if (this.#pause !== null) this.#pause = { ...this.#pause, until: notAhead(this.#pause.until, this.#pause.ms, now) };
    return this.#pause;
  }

  /** Whether a request sent as soon as possible is likely to be answered by `deadlineAt`. */
  canAnswerBy(deadlineAt: number, now: number): boolean {
    return now + this.pausedMs(now) + Math.min(this.#answerMs * MARGIN, MAX_RESERVE_MS) <= deadlineAt;
  }

  begin(): void {
    this.#underway += 1;
  }

  free(): void {
    this.#underway -= 1;
  }

  /** `grows`: Graph accepted the message while others were waiting. */
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

  /** Graph throttled the number. Results of requests sent before the pause are ignored, because they carry no new information. */
  held(begunAt: number, now: number): void {
    this.#answeredAt = now;
    const pause = this.#pauseAt(now);
    if (pause !== null && begunAt < pause.until) return;
    const ms = pause === null ? PAUSE_MS : Math.min(pause.ms * 2, MAX_PAUSE_MS);
    this.#pause = { until: now + ms, ms };
    this.#growMs = GROW_CAREFULLY_MS;
    this.#shrink(now);
  }

  /** The request is slow. If Graph has answered nothing else in the meantime, it may be overloaded. */
  overdue(begunAt: number, now: number): void {
    if (this.#answeredAt < begunAt && this.#shrankAt < begunAt) this.#shrink(now);
  }

  #shrink(now: number): void {
    this.#limit = Math.max(MIN_LIMIT, Math.floor(this.#limit / 2));
    this.#shrankAt = now;
    this.#grewAt = now;
  }
}
