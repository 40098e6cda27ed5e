// The state of the deployment itself. Times in Unix ms.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The platform's last mail refusal, for the self-check (docs/operate/doctor.md, "Self-check"). One row. */
export const mailState = sqliteTable("mail_state", {
  one: integer("one").primaryKey(),
  failedAt: integer("failed_at").notNull(),
  /** The platform's code. */
  error: text("error").notNull(),
  /** When a mail was accepted again; null: none since. */
  recoveredAt: integer("recovered_at"),
});
