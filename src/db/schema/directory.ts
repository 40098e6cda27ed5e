// Who owns which connection, and who else may use it.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import type { InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";
import { user } from "./identity.ts";

/** Unix ms everywhere in these tables. */
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
    /** Never reused after a deletion: it identifies the connection in the Connection API's events. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The name of the connection's object, and the instance's id on the Account API. */
    uuid: text("uuid").notNull().unique(),
    ownerId: text("owner_id")
      .notNull()
      .references(() => user.id),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["session", "cloud_api"] }).notNull(),
    metadata: text("metadata", { mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    /** What the owner set; the rest has the defaults of `InstanceSettings`. */
    settings: text("settings", { mode: "json" }).$type<InstanceSettingsChange>().notNull().default({}),
    proxyId: text("proxy_id"),
    /** The pool that gives it its bridge; null: `default`. */
    home: text("home"),
    /** Of a number of the Cloud API alone; what is secret stands in its object. */
    cloudPhoneNumberId: text("cloud_phone_number_id"),
    cloudWabaId: text("cloud_waba_id"),
    /** The last four characters of its access token. */
    cloudTokenLast4: text("cloud_token_last4"),
    /** Its object has to be pushed a record of a higher revision than this; null: nobody waits for that. */
    pendingRevision: integer("pending_revision"),
    /** Set while it is being removed: it is hidden, and its object may still have to be wiped. */
    removedAt: integer("removed_at"),
    createdAt,
    /** While it is being removed: when its object was last told. */
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
    // A number has one webhook address, so two connections could not both hear of it.
    uniqueIndex("connection_cloud_number")
      .on(table.cloudPhoneNumberId)
      .where(sql`removed_at IS NULL`),
    index("connection_cloud_waba")
      .on(table.cloudWabaId)
      .where(sql`cloud_waba_id IS NOT NULL`),
  ],
);

/**
 * How many connections an account has of its own, without those that are being removed. Triggers keep it (`migrations/0000_schema.sql`
 * has them), so that a new connection need not count its siblings.
 */
export const connectionCount = sqliteTable("connection_count", {
  ownerId: text("owner_id")
    .primaryKey()
    .references(() => user.id, { onDelete: "cascade" }),
  connections: integer("connections").notNull(),
});

/** What each shard of the pool last wrote of itself (docs/operate/bridges.md, "Pool shards"). It stays when the setting names it no more. */
export const poolShard = sqliteTable("pool_shard", {
  name: text("name").primaryKey(),
  /** Whose home it is: counted by the watchdog, and one more with each that is made. */
  connections: integer("connections").notNull().default(0),
  countedAt: integer("counted_at").notNull().default(0),
  /** Bridges that take sessions, and the places that they have left. */
  bridges: integer("bridges").notNull().default(0),
  places: integer("places").notNull().default(0),
  /** When the shard wrote both. */
  writtenAt: integer("written_at").notNull().default(0),
});

/** One row. Each reading of records takes a higher number, so that their objects can tell which one is newer. */
export const recordRevision = sqliteTable("record_revision", {
  one: integer("one").primaryKey(),
  /** At least the time of day, Unix ms: also above what objects have when an earlier state of the database is restored. */
  revision: integer("revision").notNull(),
});

/**
 * How often a fact of an account that its connections' records have (its status, its subscription) has changed: one row per account. It
 * stands beside `endpoint_set`, which is of its webhook endpoints.
 */
export const recordSet = sqliteTable(
  "record_set",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => user.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    /** Changes up to this revision are with the account's guard, which brings them to every object. */
    pushedRevision: integer("pushed_revision").notNull().default(0),
    /** Also when the watchdog last told the guard: the next one is that which has waited longest. */
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    index("record_set_owed")
      .on(table.changedAt)
      .where(sql`pushed_revision < revision`),
  ],
);

/** One row: how far the daily round over the directory has come (`src/services/watchdog/directory-round.ts`). */
export const directoryRound = sqliteTable("directory_round", {
  one: integer("one").primaryKey(),
  /** When its day began, Unix ms. */
  day: integer("day").notNull(),
  /** The numeric id of a connection. */
  through: integer("through").notNull(),
});

/** The state that each object last wrote: a projection for lists, never read on a message's path. */
export const connectionState = sqliteTable(
  "connection_state",
  {
    connectionId: integer("connection_id")
      .primaryKey()
      .references(() => connection.id, { onDelete: "cascade" }),
    status: text("status", { enum: INSTANCE_STATUSES }),
    /** Both null until the object has written them. */
    reason: text("reason"),
    statusChangedAt: integer("status_changed_at"),
    /** The bridge that has its session; null while it has none. */
    bridgeId: text("bridge_id"),
    phone: text("phone"),
    /** The entry of STATE_SECRET that the object's keys are encrypted under. */
    stateKid: integer("state_kid").notNull().default(1),
    /** At the end of the last hour that it pushed its counts of (docs/internals/statistics.md, "Counting in the object"). */
    connected: integer("connected", { mode: "boolean" }).notNull().default(false),
    /** Webhook deliveries that waited for an attempt when it last pushed its counts. */
    waitingDeliveries: integer("waiting_deliveries").notNull().default(0),
    notedAt: integer("noted_at").notNull(),
  },
  (table) => [
    index("connection_state_status").on(table.status),
    index("connection_state_bridge").on(table.bridgeId),
    index("connection_state_kid").on(table.stateKid),
  ],
);

/**
 * Whom the owner shared a connection with, by e-mail address. There is a row whether or not anybody has the address, so that the owner
 * cannot tell; `share` has one for a user who has confirmed it.
 */
export const shareInvitation = sqliteTable(
  "share_invitation",
  {
    id: text("id").primaryKey(),
    connectionId: integer("connection_id")
      .notNull()
      .references(() => connection.id, { onDelete: "cascade" }),
    /** In lower case. */
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
    /** When its user first opened the connection in the dashboard: from then on its owner is told that the invitation was taken up. */
    openedAt: integer("opened_at"),
    createdAt,
  },
  (table) => [primaryKey({ columns: [table.connectionId, table.userId] }), index("share_user").on(table.userId)],
);
