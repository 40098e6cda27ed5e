// The audit log's entries. An act is entered before it begins and its outcome afterwards: whatever breaks in between leaves an entry
// without an outcome, never a change without an entry (docs/operate/security.md, "Audit log").
import { eq, sql, type SQLWrapper } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { auditEntry } from "../../db/schema.ts";
import { errorFields, log } from "../../log.ts";
import type { AuditFacts } from "@gateway/protocol/audit.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";

/** An act that is about to begin. `target`: as far as it is known by then. */
export type AuditedAct = {
  actorId: string;
  keyId: string | null;
  action: string;
  target: string;
  reason: string | null;
  /** null: of no request. */
  requestId: string | null;
};

/** What became of the target: `before` null when it was made, `after` null when it is gone. */
export type AuditedChange = { target: string; before: AuditFacts | null; after: AuditFacts | null };

/** How often writing the outcome is tried. */
const ATTEMPTS = 3;

/** The id of the new entry. Throws when it could not be written: then the act must not begin. `now` in Unix ms. */
export async function enterAct(binding: D1Database, act: AuditedAct, now: number): Promise<number> {
  const [row] = await databaseOf(binding)
    .insert(auditEntry)
    .values({ at: now, ...act })
    .returning({ id: auditEntry.id });
  if (row === undefined) throw new Error("an audit entry that was just written is missing");
  return row.id;
}

/**
 * The statement that enters an act with its outcome, if `condition` finds a row: for an act that is a statement of the same transaction.
 * `now` in Unix ms.
 */
export function enterWhere(database: Database, act: AuditedAct, change: AuditedChange, now: number, condition: SQLWrapper) {
  const [before, after] = [change.before, change.after].map((facts) => (facts === null ? null : JSON.stringify(facts)));
  // The columns in the table's order.
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

/** The act is over, so a failure here is no answer to it: the entry stays without an outcome, and the log says so. */
async function enterOutcome(binding: D1Database, id: number, outcome: Partial<typeof auditEntry.$inferInsert>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await databaseOf(binding).update(auditEntry).set(outcome).where(eq(auditEntry.id, id));
      return;
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      log("audit.outcome_not_entered", { entry: id, ...errorFields(error) });
      return;
    }
  }
}
