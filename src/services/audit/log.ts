// The audit log. An entry is written before the action and its outcome afterwards, so that every change has an entry.
import { eq, sql, type SQLWrapper, and, desc, gte, lt, or, type SQL } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { auditEntry, user } from "../../db/schema.ts";
import { errorFields, log } from "../../log.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";

export type AuditedAct = {
  actorId: string;
  keyId: string | null;
  action: string;
  target: string;
  reason: string | null;
  requestId: string | null;
};

export type AuditedChange = { target: string; before: AuditFacts | null; after: AuditFacts | null };

/** Returns the entry's id. Throws if the entry could not be written. In that case, the action must not start. `now` is in Unix ms. */
export async function writeAuditEntry(binding: D1Database, act: AuditedAct, now: number): Promise<number> {
  const [row] = await databaseOf(binding)
    .insert(auditEntry)
    .values({ at: now, ...act })
    .returning({ id: auditEntry.id });
  if (row === undefined) throw new Error("an audit entry that was just written is missing");
  return row.id;
}

/** Writes an entry with its outcome if `condition` finds a row. Run the statement in the action's transaction. `now` is in Unix ms. */
export function enterWhere(database: Database, act: AuditedAct, change: AuditedChange, now: number, condition: SQLWrapper) {
  const [before, after] = [change.before, change.after].map((facts) => (facts === null ? null : JSON.stringify(facts)));
  return database.insert(auditEntry).select(
    sql`SELECT NULL, ${now}, ${act.actorId}, ${act.keyId}, ${act.action}, ${change.target}, ${act.reason}, ${before}, ${after}, 'done', NULL,
      ${act.requestId} WHERE EXISTS ${condition}`,
  );
}

export function enterDone(binding: D1Database, id: number, change: AuditedChange): Promise<void> {
  return enterOutcome(binding, id, { ...change, outcome: "done" });
}

export function enterRefused(binding: D1Database, id: number, failure: FailureCode): Promise<void> {
  return enterOutcome(binding, id, { outcome: "refused", failure });
}

/** The action is over and must not fail because of the log, so a failure here is only logged. The entry then has no outcome. */
async function enterOutcome(binding: D1Database, id: number, outcome: Partial<typeof auditEntry.$inferInsert>): Promise<void> {
  try {
    await retriedWrite(() => databaseOf(binding).update(auditEntry).set(outcome).where(eq(auditEntry.id, id)));
  } catch (error) {
    log("audit.outcome_not_entered", { entry: id, ...errorFields(error) });
  }
}

export type AuditEntry = typeof auditEntry.$inferSelect;
export type AuditFacts = NonNullable<AuditEntry["before"]>;
export type AuditPlace = { at: number; id: number };

/** Times are in Unix ms, and `to` is exclusive. `actor` is the id or email address of a user. Null means no filter. */
export type AuditFilter = { actor: string | null; action: string | null; target: string | null; from: number | null; to: number | null };

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
