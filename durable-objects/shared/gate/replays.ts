// The first result of each Idempotency-Key, for 24 hours. The claim holds the send's message id, so that a retry after a crash finds the
// first attempt's message (docs/internals/admission.md, "Idempotency").
import { messageIdOfClaim } from "@gateway/domain/admission/idempotency.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import { fail, type Failed } from "@gateway/protocol/failures.ts";
import { readNumber } from "../read-number.ts";

export type StoredResult = { ok: true; json: string } | Failed;

/** The part of a claimed call that is needed to run it again after a crash. */
export type StoredCall = Pick<Call, "operation" | "input">;

/** `same` means that this call made the claim. `call` is the first call, which has the same operation, or null if it is not stored. */
export type Interrupted = { same: boolean; call: StoredCall | null };

export type Claim =
  /** This caller holds the claim. It must run its own or the interrupted call, and then `settle`. */
  | { kind: "claimed"; messageId: string; interrupted: Interrupted | null }
  /** The first call is still running in this object. */
  | { kind: "running"; result: Promise<StoredResult>; same: boolean }
  | { kind: "stored"; result: StoredResult; same: boolean };

type ReplayRow = {
  fingerprint: string;
  message_id: string;
  answer: string | null;
  call: string | null;
  operation: string | null;
  expires_at: number;
};

export type RequestMark = Pick<Call, "fingerprint" | "operation">;

/** A larger input is not stored, because a row holds at most 2 MB. */
const MAX_INPUT_CHARS = 500_000;

export class Replays {
  readonly #sql: SqlStorage;
  /** When the first row expires, undefined until read. Cached, because every event that the object handles needs it. */
  #firstExpiry: number | null | undefined;
  readonly #running = new Map<string, { promise: Promise<StoredResult>; resolve: (result: StoredResult) => void }>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(id: string, mark: RequestMark, now: number): Exclude<Claim, { kind: "claimed" }> | null {
    const row = this.#row(id, now);
    if (row === null) return null;
    const same = row.fingerprint === mark.fingerprint;
    const shown = (result: StoredResult) => resultFor(result, isOther(row, mark));
    if (row.answer !== null) return { kind: "stored", result: shown(JSON.parse(row.answer) as StoredResult), same };
    const running = this.#running.get(id);
    if (running !== undefined) return { kind: "running", result: running.promise.then(shown), same };
    // Another operation does not resume the first call, because its caller may no longer have the right to that one.
    return isOther(row, mark) ? { kind: "stored", result: fail("content_differs"), same } : null;
  }

  isInterrupted(id: string, now: number): boolean {
    return !this.#running.has(id) && this.#row(id, now)?.answer === null;
  }

  /** Claims the id in one synchronous step. `call` is stored so that a later call can resume it, and is null if it cannot be resumed. */
  claim(id: string, mark: RequestMark, call: StoredCall | null, now: number): Claim {
    const known = this.find(id, mark, now);
    if (known !== null) return known;
    const row = this.#row(id, now);
    const messageId = row?.message_id ?? messageIdOfClaim(id, now);
    if (row === null) this.#store(id, mark, messageId, call, now);
    const { promise, resolve } = Promise.withResolvers<StoredResult>();
    this.#running.set(id, { promise, resolve });
    return { kind: "claimed", messageId, interrupted: row === null ? null : interruptedOf(row, mark) };
  }

  /** Ends a claim. If `keep` is false, the id is free again: nothing was attempted, so a retry may run the call. */
  settle(id: string, result: StoredResult, keep: boolean): void {
    try {
      if (keep) this.#sql.exec("UPDATE replay SET answer = ?, call = NULL WHERE id = ?", JSON.stringify(result), id);
      else this.#sql.exec("DELETE FROM replay WHERE id = ?", id);
    } finally {
      // Callers that are waiting get the result even if it cannot be stored.
      this.release(id, result);
    }
  }

  /** Resolves waiting callers with the result but leaves the claim open, as a crash would. */
  release(id: string, result: StoredResult): void {
    this.#running.get(id)?.resolve(result);
    this.#running.delete(id);
  }

  nextDue(): number | null {
    if (this.#firstExpiry === undefined) {
      this.#firstExpiry = readNumber(this.#sql, "SELECT MIN(expires_at) FROM replay");
    }
    return this.#firstExpiry;
  }

  run(now: number): void {
    const due = this.nextDue();
    if (due === null || due > now) return;
    this.#sql.exec("DELETE FROM replay WHERE id IN (SELECT id FROM replay WHERE expires_at <= ? LIMIT 500)", now);
    this.#firstExpiry = undefined;
  }

  clockSetBack(): void {
    this.#firstExpiry = undefined;
  }

  #store(id: string, { fingerprint, operation }: RequestMark, messageId: string, call: StoredCall | null, now: number): void {
    const expiresAt = now + LIMITS.idempotencyMs;
    this.#sql.exec(
      `INSERT OR REPLACE INTO replay (id, fingerprint, operation, message_id, answer, call, claimed_at, expires_at)
       VALUES (?, ?, ?, ?, NULL, ?, ?, ?)`,
      id,
      fingerprint,
      operation,
      messageId,
      call === null || call.input.length > MAX_INPUT_CHARS ? null : JSON.stringify({ operation: call.operation, input: call.input }),
      now,
      expiresAt,
    );
    if (this.#firstExpiry === null) this.#firstExpiry = expiresAt;
  }

  #row(id: string, now: number): ReplayRow | null {
    const row = this.#sql
      .exec<ReplayRow>("SELECT fingerprint, message_id, answer, call, operation, expires_at FROM replay WHERE id = ?", id)
      .toArray()[0];
    return row === undefined || row.expires_at <= now ? null : row;
  }
}

/** A different operation gets a stored failure, but `content_differs` instead of a stored result. */
function resultFor(result: StoredResult, isOtherOperation: boolean): StoredResult {
  return result.ok && isOtherOperation ? fail("content_differs") : result;
}

function isOther(row: ReplayRow, mark: RequestMark): boolean {
  return row.operation !== mark.operation;
}

function interruptedOf(row: ReplayRow, mark: RequestMark): Interrupted {
  const call = row.call === null ? null : (JSON.parse(row.call) as StoredCall);
  return { same: row.fingerprint === mark.fingerprint, call };
}
