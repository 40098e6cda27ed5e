import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type PastCheck, PROXY_ERRORS, PROXY_PROTOCOLS, PROXY_STATUSES } from "@gateway/protocol/bridge-socket.ts";
import { user } from "./identity.ts";

const createdAt = integer("created_at").notNull();

export const proxy = sqliteTable("proxy", {
  id: text("id").primaryKey(),
  label: text("label").notNull(),
  protocol: text("protocol", { enum: PROXY_PROTOCOLS }).notNull(),
  host: text("host").notNull(),
  port: integer("port").notNull(),
  username: text("username"),
  /** `<kid>:<base64>`, encrypted with a key from that entry of STATE_SECRET. */
  passwordSealed: text("password_sealed"),
  country: text("country"),
  maxInstances: integer("max_instances").notNull().default(10),
  isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
  /** Incremented on each address or credential change, so that checks of older revisions are ignored. */
  revision: integer("revision").notNull().default(1),
  createdAt,
});

/** A proxy has no row until its first check has finished. */
export const proxyHealth = sqliteTable("proxy_health", {
  proxyId: text("proxy_id")
    .primaryKey()
    .references(() => proxy.id, { onDelete: "cascade" }),
  status: text("status", { enum: PROXY_STATUSES }).notNull(),
  latencyMs: integer("latency_ms"),
  exitIp: text("exit_ip"),
  exitCountry: text("exit_country"),
  exitCheckedAt: integer("exit_checked_at"),
  consecutiveFailures: integer("consecutive_failures").notNull(),
  pastChecks: text("past_checks", { mode: "json" }).$type<readonly PastCheck[]>().notNull(),
  checkedAt: integer("checked_at"),
  lastError: text("last_error", { enum: PROXY_ERRORS }),
  outageAt: integer("outage_at"),
});

/** An email to send about a proxy, to an administrator or the owner of numbers that use it. */
export const proxyNotice = sqliteTable(
  "proxy_notice",
  {
    proxyId: text("proxy_id")
      .notNull()
      .references(() => proxy.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    news: text("news", { enum: ["down", "back"] }).notNull(),
    tries: integer("tries").notNull().default(0),
    dueAt: integer("due_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.proxyId, table.userId] }), index("proxy_notice_due").on(table.dueAt)],
);
