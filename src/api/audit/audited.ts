// Changes by administrators: each one is recorded in the audit log, even if it was refused.
import type { Outcome } from "@gateway/protocol/failures.ts";
import { type AuditedAct, type AuditedChange, enterAct, enterDone, enterRefused } from "../../services/audit/log.ts";
import type { User } from "../../services/users/user-table.ts";
import type { AppContext } from "../../http/app-env.ts";

export type Administrator = { c: AppContext; user: Pick<User, "id">; now: number };

/** `audit` must not contain secrets. */
export type Audited<T> = { value: T; audit: AuditedChange };

/** An expected failure changes nothing and is logged as refused. */
export async function audited<T>(
  { c, user, now }: Administrator,
  act: Pick<AuditedAct, "keyId" | "action" | "target" | "reason">,
  run: () => Promise<Outcome<Audited<T>>>,
): Promise<Outcome<T>> {
  const entry = await enterAct(c.env.DB, { actorId: user.id, ...act, requestId: c.get("requestId") }, now);
  const outcome = await run();
  if (!outcome.ok) {
    await enterRefused(c.env.DB, entry, outcome.failure.code);
    return outcome;
  }
  await enterDone(c.env.DB, entry, outcome.value.audit);
  return { ok: true, value: outcome.value.value };
}

/** Splits a result of `limit + 1` rows: returns the first `limit`, plus the last of those as the cursor if more follow. */
export function cut<T>(rows: readonly T[], limit: number): { shown: T[]; last: T | undefined } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined };
}
