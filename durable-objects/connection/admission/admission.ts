// The order in which one authenticated request is checked (architecture, "Admission"): key → subscription → burst → unknown
// route → role → repeated read → idempotency → body → read cache → the operation. Everything up to the operation is
// synchronous, so nobody slips in between a check and its count.
import { idempotencyValue, keepsForReplay, replayId } from "../../../src/domain/idempotency.ts";
import { type AdmissionLimits, LIMITS } from "../../../src/domain/limits.ts";
import { retryAfterSeconds, SlidingWindow } from "../../../src/domain/sliding-window.ts";
import type { Answer, Call, Caller, ConnectionRecord, LimitState } from "../../../src/protocol/connection.ts";
import type { Failure, Outcome } from "../../../src/protocol/failures.ts";
import { OPERATIONS, type OperationName, type OperationRow, type Role } from "../../../src/protocol/operations.ts";
import { ApiKeys } from "./api-keys.ts";
import { ReadCache } from "./read-cache.ts";
import { RepeatedReads } from "./repeated-reads.ts";
import { type KeptAnswer, Replays } from "./replays.ts";

/** Carries the operation out. `messageId` is set for the first try of an idempotent call and for its resumption alike. */
export type Run = (call: Call, messageId: string | null) => Promise<Outcome<string>>;

const RANK: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

export class Admission {
  readonly keys: ApiKeys;
  readonly #record: () => ConnectionRecord | null;
  readonly #limits: AdmissionLimits;
  readonly #reads: RepeatedReads;
  readonly #replays: Replays;
  readonly #cache = new ReadCache();
  /** The 10-second logs may live in memory: memory goes only after ten idle seconds, when they are empty. */
  readonly #bursts = new Map<string, SlidingWindow>();

  constructor(sql: SqlStorage, record: () => ConnectionRecord | null, limits: AdmissionLimits) {
    this.keys = new ApiKeys(sql);
    this.#record = record;
    this.#limits = limits;
    this.#reads = new RepeatedReads(sql, limits.repeatedRead);
    this.#replays = new Replays(sql);
  }

  /** Answers the call; `run` is asked at most once, and not at all when a check or a kept answer ends it. */
  async perform(call: Call, run: Run, now: number): Promise<Answer> {
    const subject = this.#subject(call.caller, now);
    if (subject === null) return refuse("unauthorized");
    if (call.caller.kind === "connection_key" && this.#record()?.subscription_active !== true) return refuse("subscription_required");
    const burst = this.#burst(subject);
    const verdict = burst.accept(now);
    const limit = limitState(burst, this.#limits.burst, now);
    if (!verdict.accepted) {
      return { ok: false, failure: { code: "rate_limited", retryAfter: retryAfterSeconds(verdict.retryAfterMs) }, ...limit };
    }
    const row = call.operation === null ? undefined : rowOf(call.operation);
    if (row === undefined) return { ...refuse("route_not_found"), ...limit };
    if (RANK[roleOf(call.caller)] < RANK[row.role]) return { ...refuse("forbidden"), ...limit };
    if (call.flags.counted) {
      const read = this.#reads.accept(`${subject} ${call.route}?${call.query}`, now);
      if (!read.accepted) {
        return { ok: false, failure: { code: "repeated_read", retryAfter: retryAfterSeconds(read.retryAfterMs) }, ...limit };
      }
    }
    return { ...(await this.#answer(call, row, subject, run, now)), ...limit };
  }

  /** Something changed: what was read before is no longer current. */
  forgetReads(): void {
    this.#cache.clear();
  }

  nextDue(): number | null {
    const dues = [this.#reads.nextDue(), this.#replays.nextDue()].filter((due) => due !== null);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  run(now: number): void {
    this.#reads.run(now);
    this.#replays.run(now);
  }

  async #answer(call: Call, row: OperationRow, subject: string, run: Run, now: number): Promise<Answer> {
    if (!call.flags.mutating) {
      if (call.rejected !== null) return { ok: false, failure: call.rejected };
      if (!call.flags.cached) return answerOf(await run(call, null));
      const { outcome, age } = await this.#cache.get(`${call.operation} ${call.input}`, now, () => run(call, null));
      return age === undefined || !outcome.ok ? answerOf(outcome) : { ok: true, json: outcome.value, age };
    }
    if (call.idempotencyKey === null) {
      if (call.rejected !== null) return { ok: false, failure: call.rejected };
      return answerOf(await this.#change(call, run, null));
    }
    return this.#once(call, row, subject, run, now);
  }

  /** A mutating call with an Idempotency-Key. */
  async #once(call: Call, row: OperationRow, subject: string, run: Run, now: number): Promise<Answer> {
    const value = idempotencyValue(call.idempotencyKey ?? "");
    if (value === null) return refuse("invalid_idempotency_key");
    const id = replayId(subject, value);
    if (call.rejected !== null) {
      const known = this.#replays.find(id, call.fingerprint, now);
      return known === null ? { ok: false, failure: call.rejected } : replayed(await known.answer, known.same);
    }
    const claim = this.#replays.claim(id, call.fingerprint, now);
    if (claim.kind !== "mine") return replayed(await claim.answer, claim.same);
    const outcome: Outcome<string> =
      claim.interrupted && row.resumable !== true
        ? { ok: false, failure: { code: "send_outcome_unknown" } }
        : await this.#change(call, run, claim.messageId).catch((error: unknown) => {
            this.#replays.settle(id, { ok: false, failure: { code: "internal_error" } }, false);
            throw error;
          });
    const answer: KeptAnswer = outcome.ok ? { ok: true, json: outcome.value } : { ok: false, failure: outcome.failure };
    this.#replays.settle(id, answer, keepsForReplay(outcome.ok ? null : outcome.failure));
    return answer;
  }

  async #change(call: Call, run: Run, messageId: string | null): Promise<Outcome<string>> {
    this.#cache.clear();
    const outcome = await run(call, messageId);
    this.#cache.clear();
    return outcome;
  }

  /** Whose counters and replays: the key's id, or the account's; null when the key is not active here. */
  #subject(caller: Caller, now: number): string | null {
    if (caller.kind === "account") return `account:${caller.subject}`;
    const id = this.#record() === null ? null : this.keys.use(caller.hash, now);
    return id === null ? null : `key:${id}`;
  }

  #burst(subject: string): SlidingWindow {
    let window = this.#bursts.get(subject);
    if (window === undefined) {
      window = new SlidingWindow(this.#limits.burst, LIMITS.burst.windowMs);
      this.#bursts.set(subject, window);
    }
    return window;
  }
}

function rowOf(operation: string): OperationRow | undefined {
  return Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation as OperationName] : undefined;
}

function roleOf(caller: Caller): Role {
  return caller.kind === "account" ? caller.role : "operator";
}

function refuse(code: Failure["code"]): Extract<Answer, { ok: false }> {
  return { ok: false, failure: { code } };
}

function answerOf(outcome: Outcome<string>): Answer {
  return outcome.ok ? { ok: true, json: outcome.value } : { ok: false, failure: outcome.failure };
}

function replayed(answer: KeptAnswer, same: boolean): Answer {
  return { ...answer, replayed: true, ...(same ? {} : { mismatch: true }) };
}

function limitState(window: SlidingWindow, limit: number, now: number): { limit?: LimitState } {
  if (limit === Number.POSITIVE_INFINITY) return {};
  const { used, resetMs } = window.state(now);
  return { limit: { limit, remaining: Math.max(0, limit - used), resetSeconds: Math.ceil(resetMs / 1000) } };
}
