// Keys and webhook endpoints of accounts, and the audit log. Times are in Unix ms.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { user } from "./identity.ts";

const createdAt = integer("created_at").notNull();
const updatedAt = integer("updated_at").notNull();
const owner = text("user_id")
  .notNull()
  .references(() => user.id, { onDelete: "cascade" });

export const accountKey = sqliteTable(
  "account_key",
  {
    id: text("id").primaryKey(),
    userId: owner,
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    hash: text("hash").notNull().unique(),
    scopes: text("scopes", { mode: "json" }).$type<string[]>(),
    instanceIds: text("instance_ids", { mode: "json" }).$type<string[]>(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    createdAt,
    /** The addresses and blocks from which the key works. Null means any address. */
    allowedIps: text("allowed_ips", { mode: "json" }).$type<string[]>(),
    /** Address of the last call that was refused because its address was not allowed. */
    refusedIp: text("refused_ip"),
    refusedAt: integer("refused_at"),
  },
  (table) => [index("account_key_user").on(table.userId)],
);

export const accountWebhook = sqliteTable(
  "account_webhook",
  {
    id: text("id").primaryKey(),
    userId: owner,
    url: text("url").notNull(),
    events: text("events", { mode: "json" }).$type<string[]>().notNull(),
    /** `<kid>:<base64>`, encrypted with a key from that entry of STATE_SECRET. */
    secretSealed: text("secret_sealed"),
    description: text("description"),
    instanceId: text("instance_id"),
    headers: text("headers", { mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    retryCount: integer("retry_count").notNull().default(3),
    timeoutMs: integer("timeout_ms").notNull().default(5000),
    isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
    createdAt,
    updatedAt,
  },
  (table) => [index("account_webhook_user").on(table.userId)],
);

/** The revision of an account's webhook endpoints. Objects ignore pushes of an older revision. */
export const endpointSet = sqliteTable(
  "endpoint_set",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => user.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    /** Changes up to this revision have been pushed to all affected objects. Renaming the column would break the previous release. */
    pushedRevision: integer("told_revision").notNull().default(0),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    index("endpoint_set_owed")
      .on(table.changedAt)
      .where(sql`told_revision < revision`),
  ],
);

type AuditValue = string | number | boolean | null | readonly AuditValue[] | { readonly [name: string]: AuditValue };

type AuditFacts = { readonly [name: string]: AuditValue };

/** Administrators' changes, without secrets: a new password is recorded as `true`. */
export const auditEntry = sqliteTable(
  "audit_entry",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    actorId: text("actor_id").notNull(),
    keyId: text("key_id"),
    /** The public name of the route that made the change. */
    action: text("action").notNull(),
    /** Empty while the id of the changed resource is unknown. */
    target: text("target").notNull(),
    reason: text("reason"),
    /** The changed fields. Null if the resource did not exist before the change, or does not exist after it. */
    before: text("before", { mode: "json" }).$type<AuditFacts>(),
    after: text("after", { mode: "json" }).$type<AuditFacts>(),
    /** Null if the action was started but its outcome is unknown. */
    outcome: text("outcome", { enum: ["done", "refused"] }),
    failure: text("failure"),
    requestId: text("request_id"),
  },
  (table) => [
    index("audit_at").on(table.at),
    index("audit_actor").on(table.actorId, table.at),
    index("audit_action").on(table.action, table.at),
    index("audit_target").on(table.target, table.at),
  ],
);
