// Checks for a call by a known caller (docs/internals/admission.md, "Order of the checks"). Everything before the operation is synchronous,
// so that no other call runs between a check and its count.
import { earliest } from "@gateway/protocol/units.ts";
import { idempotencyValue, isReplayable, replayId, storedResult } from "@gateway/domain/admission/idempotency.ts";
import { type AdmissionLimits, LIMITS } from "@gateway/domain/limits.ts";
import { LruMap } from "@gateway/domain/lru-map.ts";
import { retryAfterSeconds, SlidingWindow } from "@gateway/domain/admission/sliding-window.ts";
import type { Call, CallResult, LimitState } from "@gateway/protocol/connection.ts";
import { fail, type Failure, type Replayable } from "@gateway/protocol/failures.ts";
import { type Interrupted, type StoredResult, Replays } from "./replays.ts";
import type { TimeColumn } from "../clock-steps.ts";
import type { Migrations } from "../migrate.ts";
import { ReadCache } from "./read-cache.ts";
import { RepeatedReads } from "./repeated-reads.ts";

export const GATE_MIGRATIONS: Migrations = [
  // `call` is the `StoredCall` as JSON until it has a result. `operation` is the operation of the call that claimed the row.
  `CREATE TABLE replay (
     id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, message_id TEXT NOT NULL, answer TEXT,
     claimed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, call TEXT, operation TEXT
   ) WITHOUT ROWID;
   CREATE INDEX replay_expiry ON replay (expires_at);
   CREATE TABLE repeated_read (read TEXT PRIMARY KEY, times TEXT NOT NULL, newest INTEGER NOT NULL) WITHOUT ROWID;`,
];

export const GATE_TIMES: readonly TimeColumn[] = [
  { table: "replay", column: "expires_at", longestMs: LIMITS.idempotencyMs, isExpiry: true },
];

/** When a retry resumes an interrupted first attempt, `call` is that attempt's call, not the retry's. Both use the same `messageId`. */
export type RunOperation = (call: Call, messageId: string | null) => Promise<Replayable<string>>;

export type AdmissionRequest = {
  call: Call;
  /** The caller to whom counters and replays belong. */
  subject: string;
  /** The failure to return if the burst limit accepts the call. */
  refused: Failure | null;
  resumable: boolean;
  /** True if the worker executes `run`. An exception then means that the worker is gone, and the outcome is unknown. */
  runsInWorker?: true;
  asksNetwork: boolean;
  /** Fields omitted from a stored replay. */
  shownOnce: readonly string[];
};

/** Limits memory use. Beyond this number, the windows of the least recent callers are dropped. */
const MAX_CALLERS = 1_000;

export class Gate {
  readonly #limits: AdmissionLimits;
  readonly #reads: RepeatedReads;
  readonly #replays: Replays;
  readonly #cache = new ReadCache();
  /** Kept in memory, because the object is evicted only after ten idle seconds, when the 10-second windows are empty anyway. */
  readonly #bursts = new LruMap<SlidingWindow>(MAX_CALLERS);

  constructor(sql: SqlStorage, limits: AdmissionLimits) {
    this.#limits = limits;
    this.#reads = new RepeatedReads(sql, limits.repeatedRead);
    this.#replays = new Replays(sql);
  }

  /** Performs the call. Calls `run` at most once, and not at all if a check fails or a stored result is replayed. */
  async admit(request: AdmissionRequest, run: RunOperation, now: number): Promise<CallResult> {
    const { call, subject, refused } = request;
    const burst = this.#burst(subject);
    const verdict = burst.accept(now);
    const limit = limitState(burst, this.#limits.burst, now);
    if (!verdict.accepted) {
      return { ...fail("rate_limited", { retryAfter: retryAfterSeconds(verdict.retryAfterMs) }), ...limit };
    }
    if (refused !== null) return { ...fail(refused), ...limit };
    if (call.flags.counted) {
      const read = this.#reads.accept(`${subject} ${call.route}?${call.query}`, now);
      if (!read.accepted) {
        return { ...fail("repeated_read", { retryAfter: retryAfterSeconds(read.retryAfterMs) }), ...limit };
      }
    }
    return { ...(await this.#runChecked(request, run, now)), ...limit };
  }

  /** The rejection that `admit` would return before it reads the body, or null. Does not count the call. */
  screen({ subject, refused }: AdmissionRequest, now: number): CallResult | null {
    const burst = this.#burst(subject);
    const limit = limitState(burst, this.#limits.burst, now);
    const { used, resetMs } = burst.state(now);
    if (used >= this.#limits.burst) return { ...fail("rate_limited", { retryAfter: retryAfterSeconds(resetMs) }), ...limit };
    return refused === null ? null : { ...fail(refused), ...limit };
  }

  clearReadCache(): void {
    this.#cache.clear();
  }

  /** Drops cached reads after stored data has changed. Cached responses from the network stay. */
  dropStoredReads(): void {
    this.#cache.dropStored();
  }

  nextDue(): number | null {
    return earliest([this.#reads.nextDue(), this.#replays.nextDue()]);
  }

  run(now: number): void {
    this.#reads.run(now);
    this.#replays.run(now);
  }

  clockSetBack(): void {
    this.#replays.clockSetBack();
  }

  async #runChecked(request: AdmissionRequest, run: RunOperation, now: number): Promise<CallResult> {
    const { call, asksNetwork } = request;
    if (!call.flags.mutating) {
      if (call.rejected !== null) return fail(call.rejected);
      if (!call.flags.cached) return callResultOf(await run(call, null));
      const { outcome, age } = await this.#cache.get({ name: `${call.operation} ${call.input}`, asksNetwork }, now, () => run(call, null));
      return age === undefined || !outcome.ok ? callResultOf(outcome) : { ok: true, json: outcome.value, age };
    }
    if (call.idempotencyKey === null) {
      if (call.rejected !== null) return fail(call.rejected);
      return callResultOf(await this.#runChange(call, run, null));
    }
    return this.#runOnce(request, run, now);
  }

  async #runOnce(request: AdmissionRequest, run: RunOperation, now: number): Promise<CallResult> {
    const { call, subject, resumable, runsInWorker = false, shownOnce } = request;
    const value = idempotencyValue(call.idempotencyKey ?? "");
    if (value === null) return fail("invalid_idempotency_key");
    const id = replayId(subject, value);
    // A call that the worker rejected still gets the first call's result, and resumes an interrupted first call.
    if (call.rejected !== null && !this.#replays.isInterrupted(id, now)) {
      const known = this.#replays.find(id, call, now);
      return known === null ? fail(call.rejected) : replayed(await known.result, known.same);
    }
    const claim = this.#replays.claim(id, call, resumable ? call : null, now);
    if (claim.kind !== "claimed") return replayed(await claim.result, claim.same);
    const { interrupted, messageId } = claim;
    const claimed = interrupted === null ? call : resumptionOf(call, interrupted, resumable);
    const outcome: Replayable<string> =
      claimed === null
        ? fail("send_outcome_unknown")
        : await this.#runChange(claimed, run, messageId).catch((error: unknown) => {
            // The message may have been sent, or the resource created, so a retry continues this claim, as it does after a crash.
            if (resumable || runsInWorker || interrupted !== null) this.#replays.release(id, fail("internal_error"));
            else this.#replays.settle(id, fail("internal_error"), false);
            throw error;
          });
    const result: StoredResult = outcome.ok ? { ok: true, json: outcome.value } : fail(outcome.failure);
    const stored = result.ok ? { ok: true as const, json: storedResult(result.json, shownOnce) } : result;
    if (interrupted === null || interrupted.same) {
      this.#replays.settle(id, stored, isReplayable(outcome.ok ? null : outcome.failure));
      return callResultOf(outcome);
    }
    // The first call's file is lost. The claim stays open, because the first caller may retry and upload the file again.
    if (!result.ok && result.failure.code === "content_differs") this.#replays.release(id, result);
    else this.#replays.settle(id, stored, isReplayable(outcome.ok ? null : outcome.failure));
    return replayed(stored, false);
  }

  async #runChange(call: Call, run: RunOperation, messageId: string | null): Promise<Replayable<string>> {
    this.#cache.clear();
    const outcome = await run(call, messageId);
    this.#cache.clear();
    return outcome;
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

/** Null if the claim cannot be resumed. The first call's files are lost unless this call contains them. */
function resumptionOf(call: Call, { same, call: first }: Interrupted, resumable: boolean): Call | null {
  if (same && call.rejected === null) return resumable ? call : null;
  return first === null ? null : { ...call, ...first, rejected: null };
}

function callResultOf(outcome: Replayable<string>): CallResult {
  const result: CallResult = outcome.ok ? { ok: true, json: outcome.value } : fail(outcome.failure);
  return outcome.replayed === true ? { ...result, replayed: true } : result;
}

function replayed(result: StoredResult, same: boolean): CallResult {
  return { ...result, replayed: true, ...(same ? {} : { mismatch: true }) };
}

function limitState(window: SlidingWindow, limit: number, now: number): { limit?: LimitState } {
  if (limit === Number.POSITIVE_INFINITY) return {};
  const { used, resetMs } = window.state(now);
  return { limit: { limit, remaining: Math.max(0, limit - used), resetSeconds: Math.ceil(resetMs / 1000) } };
}
