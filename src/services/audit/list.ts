import { and, desc, eq, gte, lt, or, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { auditEntry, user } from "../../db/schema.ts";

export type AuditEntry = typeof auditEntry.$inferSelect;
export type AuditPlace = { at: number; id: number };

/** Times in Unix ms, `to` exclusive. `actor`: the id or the e-mail address of a user. null: any. */
export type AuditFilter = { actor: string | null; action: string | null; target: string | null; from: number | null; to: number | null };

/** Newest first. `email`: the actor's, while there is such a user. */
export async function listAudit(
  binding: D1Database,
  filter: AuditFilter,
  { after, limit }: { after: AuditPlace | null; limit: number },
): Promise<{ entry: AuditEntry; email: string | null }[]> {
  const database = databaseOf(binding);
  const { actor, action, target, from, to } = filter;
  const byAddress = actor?.includes("@") === true;
  const named = byAddress ? database.select({ id: user.id }).from(user).where(eq(user.email, actor.trim().toLowerCase())) : actor;
  const wanted: (SQL | undefined)[] = [
    named === null ? undefined : eq(auditEntry.actorId, named),
    action === null ? undefined : eq(auditEntry.action, action),
    target === null ? undefined : eq(auditEntry.target, target),
    from === null ? undefined : gte(auditEntry.at, from),
    to === null ? undefined : lt(auditEntry.at, to),
    after === null ? undefined : or(lt(auditEntry.at, after.at), and(eq(auditEntry.at, after.at), lt(auditEntry.id, after.id))),
  ];
  return database
    .select({ entry: auditEntry, email: user.email })
    .from(auditEntry)
    .leftJoin(user, eq(user.id, auditEntry.actorId))
    .where(and(...wanted))
    .orderBy(desc(auditEntry.at), desc(auditEntry.id))
    .limit(limit);
}
