import { type AuditEntry, type AuditFilter, type AuditPlace, listAudit } from "../../services/audit/log.ts";
import { isoOfMs } from "../../http/times.ts";
import { cut } from "./audited.ts";

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
