// First answers, stored for 24 hours and replayed for a repeated Idempotency-Key (docs/admission.md, "Idempotency").
// Our own, because a claim has to be stored in the same synchronous block as the send that it guards: a middleware over another store leaves
// a gap between the two, in which a crash doubles the message.
import { messageIdOfClaim } from "../../../src/domain/admission/idempotency.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import type { Failed } from "../../../src/protocol/failures.ts";

export type StoredAnswer = { ok: true; json: string } | Failed;

export type Claim =
  /** This caller holds the claim: carry the call out, then `settle`. `interrupted`: an earlier attempt was cut off by a restart. */
  | { kind: "claimed"; messageId: string; interrupted: boolean }
  /** The first call is still running in this object: wait for its answer. */
  | { kind: "running"; answer: Promise<StoredAnswer>; same: boolean }
  | { kind: "stored"; answer: StoredAnswer; same: boolean };

type Row = { fingerprint: string; message_id: string; answer: string | null; expires_at: number };

export class Replays {
  readonly #sql: SqlStorage;
  /** When the first row expires, at the earliest; undefined until read. In memory because every event of the object asks for it. */
  #firstExpiry: number | null | undefined;
  readonly #running = new Map<string, { promise: Promise<StoredAnswer>; resolve: (answer: StoredAnswer) => void }>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The running or stored answer for this id, without claiming it. */
  find(id: string, fingerprint: string, now: number): Exclude<Claim, { kind: "claimed" }> | null {
    const row = this.#row(id, now);
    if (row === null) return null;
    const same = row.fingerprint === fingerprint;
    if (row.answer !== null) return { kind: "stored", answer: JSON.parse(row.answer) as StoredAnswer, same };
    const running = this.#running.get(id);
    return running === undefined ? null : { kind: "running", answer: running.promise, same };
  }

  /** Claims the id in one synchronous step, unless there is an answer or a running call already. */
  claim(id: string, fingerprint: string, now: number): Claim {
    const known = this.find(id, fingerprint, now);
    if (known !== null) return known;
    const interrupted = this.#row(id, now);
    const { promise, resolve } = Promise.withResolvers<StoredAnswer>();
    this.#running.set(id, { promise, resolve });
    if (interrupted !== null) return { kind: "claimed", messageId: interrupted.message_id, interrupted: true };
    const messageId = messageIdOfClaim(id, now);
    this.#sql.exec(
      "INSERT OR REPLACE INTO replay (id, fingerprint, message_id, answer, claimed_at, expires_at) VALUES (?, ?, ?, NULL, ?, ?)",
      id,
      fingerprint,
      messageId,
      now,
      now + LIMITS.idempotencyMs,
    );
    if (this.#firstExpiry === null) this.#firstExpiry = now + LIMITS.idempotencyMs;
    return { kind: "claimed", messageId, interrupted: false };
  }

  /** Ends a claim. `keep` false frees the id: nothing was attempted, so a retry may carry the call out. */
  settle(id: string, answer: StoredAnswer, keep: boolean): void {
    if (keep) this.#sql.exec("UPDATE replay SET answer = ? WHERE id = ?", JSON.stringify(answer), id);
    else this.#sql.exec("DELETE FROM replay WHERE id = ?", id);
    this.#running.get(id)?.resolve(answer);
    this.#running.delete(id);
  }

  nextDue(): number | null {
    if (this.#firstExpiry === undefined) {
      this.#firstExpiry = this.#sql.exec<{ due: number | null }>("SELECT MIN(expires_at) AS due FROM replay").one().due;
    }
    return this.#firstExpiry;
  }

  run(now: number): void {
    const due = this.nextDue();
    if (due === null || due > now) return;
    this.#sql.exec("DELETE FROM replay WHERE id IN (SELECT id FROM replay WHERE expires_at <= ? LIMIT 500)", now);
    this.#firstExpiry = undefined;
  }

  #row(id: string, now: number): Row | null {
    const row = this.#sql.exec<Row>("SELECT fingerprint, message_id, answer, expires_at FROM replay WHERE id = ?", id).toArray()[0];
    return row === undefined || row.expires_at <= now ? null : row;
  }
}
