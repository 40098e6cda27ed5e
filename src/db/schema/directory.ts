import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import type { InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";
import { user } from "./identity.ts";

const createdAt = integer("created_at").notNull();
const updatedAt = integer("updated_at").notNull();

export const subscription = sqliteTable("subscription", {
  userId: text("user_id")
    .primaryKey()
    .references(() => user.id, { onDelete: "cascade" }),
  plan: text("plan").notNull(),
  status: text("status", { enum: ["active", "trialing", "past_due", "canceled"] }).notNull(),
  maxInstances: integer("max_instances").notNull(),
  currentPeriodEnd: integer("current_period_end"),
  createdAt,
  updatedAt,
});

export const connection = sqliteTable(
  "connection",
  {
    /** Never reused, because Connection API events identify the connection by it. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The name of the connection's object. The Account API shows it as the instance's id. */
    uuid: text("uuid").notNull().unique(),
    ownerId: text("owner_id")
      .notNull()
      .references(() => user.id),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["session", "cloud_api"] }).notNull(),
    metadata: text("metadata", { mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    /** Settings that the owner has changed. `InstanceSettings` has the defaults for the others. */
    settings: text("settings", { mode: "json" }).$type<InstanceSettingsChange>().notNull().default({}),
    proxyId: text("proxy_id"),
    /** The pool that assigns its bridge. Null stands for the `default` pool. */
    home: text("home"),
    /** Set only for Cloud API numbers. The object stores the secrets. */
    cloudPhoneNumberId: text("cloud_phone_number_id"),
    cloudWabaId: text("cloud_waba_id"),
    cloudTokenLast4: text("cloud_token_last4"),
    /** If set, the object needs a record with a higher revision than this. Null if its record is current. */
    pendingRevision: integer("pending_revision"),
    /** Set during removal, when the connection is hidden but its object may not be deleted yet. */
    removedAt: integer("removed_at"),
    createdAt,
    /** During a removal, this is also the time of the last call to the object. */
    updatedAt,
  },
  (table) => [
    index("connection_owner").on(table.ownerId, table.id),
    index("connection_removed").on(table.removedAt),
    index("connection_proxy").on(table.proxyId, table.id),
    index("connection_home").on(table.home, table.id),
    index("connection_pending")
      .on(table.pendingRevision)
      .where(sql`pending_revision IS NOT NULL`),
    // Unique, because a number has only one webhook URL, and a second connection would get no events.
    uniqueIndex("connection_cloud_number")
      .on(table.cloudPhoneNumberId)
      .where(sql`removed_at IS NULL`),
    index("connection_cloud_waba")
      .on(table.cloudWabaId)
      .where(sql`cloud_waba_id IS NOT NULL`),
  ],
);

/** Connections per account, without removed ones. Triggers maintain the count, so that creating a connection need not count rows. */
export const connectionCount = sqliteTable("connection_count", {
  ownerId: text("owner_id")
    .primaryKey()
    .references(() => user.id, { onDelete: "cascade" }),
  connections: integer("connections").notNull(),
});

/** Each pool shard's last report. Rows of shards that are no longer configured are kept. */
export const poolShard = sqliteTable("pool_shard", {
  name: text("name").primaryKey(),
  /** Number of this shard's connections. The watchdog counts them, and each creation adds one. */
  connections: integer("connections").notNull().default(0),
  countedAt: integer("counted_at").notNull().default(0),
  bridges: integer("bridges").notNull().default(0),
  places: integer("places").notNull().default(0),
  writtenAt: integer("written_at").notNull().default(0),
});

/** A single row. Each read of records increments its value, so that objects can tell which record is newer. */
export const recordRevision = sqliteTable("record_revision", {
  one: integer("one").primaryKey(),
  /** Never below the current Unix ms, so that it exceeds the objects' revisions even after an older database was restored. */
  revision: integer("revision").notNull(),
});

/** One row per account: the revision of the account data that is copied into connection records. */
export const recordSet = sqliteTable(
  "record_set",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => user.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    /** The account's guard knows the changes up to this revision and pushes them to the objects. */
    pushedRevision: integer("pushed_revision").notNull().default(0),
    /** The watchdog also updates this time on each push, because it pushes the oldest rows first. */
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    index("record_set_owed")
      .on(table.changedAt)
      .where(sql`pushed_revision < revision`),
  ],
);

export const directoryRound = sqliteTable("directory_round", {
  one: integer("one").primaryKey(),
  day: integer("day").notNull(),
  through: integer("through").notNull(),
});

/** When each watchdog cron job last finished, for the deployment's self-check. */
export const cronRun = sqliteTable("cron_run", {
  cron: text("cron").primaryKey(),
  ranAt: integer("ran_at").notNull(),
  /** Null until a run succeeds. */
  succeededAt: integer("succeeded_at"),
});

export const connectionState = sqliteTable(
  "connection_state",
  {
    connectionId: integer("connection_id")
      .primaryKey()
      .references(() => connection.id, { onDelete: "cascade" }),
    status: text("status", { enum: INSTANCE_STATUSES }),
    reason: text("reason"),
    statusChangedAt: integer("status_changed_at"),
    bridgeId: text("bridge_id"),
    phone: text("phone"),
    /** The STATE_SECRET entry that encrypts the object's keys. */
    stateKid: integer("state_kid").notNull().default(1),
    /** True if the number was connected at the end of the last pushed hour. */
    connected: integer("connected", { mode: "boolean" }).notNull().default(false),
    /** Webhook deliveries that were waiting for an attempt at that time. */
    waitingDeliveries: integer("waiting_deliveries").notNull().default(0),
    notedAt: integer("noted_at").notNull(),
  },
  (table) => [
    index("connection_state_status").on(table.status),
    index("connection_state_bridge").on(table.bridgeId),
    index("connection_state_kid").on(table.stateKid),
  ],
);

/** Invited addresses, with or without a user, so that the owner cannot tell whether a user exists. Confirmed users are in `share`. */
export const shareInvitation = sqliteTable(
  "share_invitation",
  {
    id: text("id").primaryKey(),
    connectionId: integer("connection_id")
      .notNull()
      .references(() => connection.id, { onDelete: "cascade" }),
    email: text("email").notNull(),
    role: text("role", { enum: ["operator", "viewer"] }).notNull(),
    createdAt,
  },
  (table) => [uniqueIndex("share_invitation_address").on(table.connectionId, table.email), index("share_invitation_email").on(table.email)],
);

export const share = sqliteTable(
  "share",
  {
    connectionId: integer("connection_id")
      .notNull()
      .references(() => connection.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    role: text("role", { enum: ["operator", "viewer"] }).notNull(),
    /** When the user first opened the connection in the dashboard. The owner then sees the invitation as accepted. */
    openedAt: integer("opened_at"),
    createdAt,
  },
  (table) => [primaryKey({ columns: [table.connectionId, table.userId] }), index("share_user").on(table.userId)],
);

/** A single row with the platform's last refusal of an email, for the self-check (docs/operate/doctor.md, "Self-check"). */
export const mailState = sqliteTable("mail_state", {
  one: integer("one").primaryKey(),
  failedAt: integer("failed_at").notNull(),
  error: text("error").notNull(),
  /** When an email was next accepted, or null if none has been accepted since. */
  recoveredAt: integer("recovered_at"),
});

// Counts for the deployment, accounts and connections (docs/internals/statistics.md, "Counting in the object").

/** `scope` is `all`, `user:<id>` or `connection:<uuid>`. `at` is the start of the hour or day (UTC) in Unix ms. */
const counted = {
  scope: text("scope").notNull(),
  at: integer("at").notNull(),
  counts: text("counts", { mode: "json" }).$type<Record<string, number>>().notNull(),
};

/** Connections push their own rows. The rows of their account and of the deployment change by the same difference. */
export const hourlyCount = sqliteTable("hourly_count", counted, (table) => [
  primaryKey({ columns: [table.scope, table.at] }),
  // An index for finding an hour's connections with failures. It excludes rows without failures.
  index("hourly_count_failed")
    .on(table.at)
    .where(sql`substr(scope, 1, 11) = 'connection:' AND instr(counts, '"error.') > 0`),
]);

/** Daily sums of the hourly counts, kept longer. Rows are purged in chronological order. */
export const dailyCount = sqliteTable("daily_count", counted, (table) => [primaryKey({ columns: [table.scope, table.at] })]);
