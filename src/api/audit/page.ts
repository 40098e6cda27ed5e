import type { Outcome } from "@gateway/protocol/failures.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type AuditPlace,
  listAudit,
  type AuditedAct,
  type AuditedChange,
  writeAuditEntry,
  enterDone,
  enterRefused,
} from "#root/src/services/audit/log.ts";
import { isoOfMs } from "@gateway/domain/iso-times.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import type { AppContext } from "#root/src/http/app-env.ts";

export async function pageOfAudit(
  binding: D1Database,
  filter: AuditFilter,
  { after, limit }: { after: AuditPlace | null; limit: number },
): Promise<{ data: ReturnType<typeof renderEntry>[]; next: AuditPlace | null }> {
  const { shown, last } = cut(await listAudit(binding, filter, { after, limit: limit + 1 }), limit);
  return {
    data: shown.map(({ entry, email }) => renderEntry(entry, email)),
    next: last === undefined ? null : { at: last.entry.at, id: last.entry.id },
  };
}

function renderEntry(entry: AuditEntry, email: string | null) {
  const { id, at, actorId, keyId, action, target, reason, before, after, outcome, failure, requestId } = entry;
  return {
    id: String(id),
    at: isoOfMs(at),
    actor: { id: actorId, email, key_id: keyId },
    action,
    target,
    reason,
    before,
    after,
    outcome: outcome ?? ("unknown" as const),
    failure,
    request_id: requestId,
  };
}

// Helpers for changes by administrators. The audit log records every change, including refused ones.
export type Administrator = { c: AppContext; user: Pick<User, "id">; now: number };

export type Audited<T> = { value: T; audit: AuditedChange };

/** If the action fails in an expected way, it has changed nothing and the audit log shows it as refused. */
export async function audited<T>(
  { c, user, now }: Administrator,
  act: Pick<AuditedAct, "keyId" | "action" | "target" | "reason">,
  run: () => Promise<Outcome<Audited<T>>>,
): Promise<Outcome<T>> {
  const entry = await writeAuditEntry(c.env.DB, { actorId: user.id, ...act, requestId: c.get("requestId") }, now);
  const outcome = await run();
  if (!outcome.ok) {
    await enterRefused(c.env.DB, entry, outcome.failure.code);
    return outcome;
  }
  await enterDone(c.env.DB, entry, outcome.value.audit);
  return { ok: true, value: outcome.value.value };
}

/** Splits a result of `limit + 1` rows. Returns the first `limit` rows, and the last of them as the cursor if more follow. */
export function cut<T>(rows: readonly T[], limit: number): { shown: T[]; last: T | undefined } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined };
}
