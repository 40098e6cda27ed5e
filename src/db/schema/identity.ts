// The embedded identity provider's tables, as better-auth requires them, plus our own columns such as `role` and `status`.
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

const createdAt = integer("created_at", { mode: "timestamp_ms" }).notNull();
const updatedAt = integer("updated_at", { mode: "timestamp_ms" }).notNull();

export const user = sqliteTable(
  "user",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull().unique(),
    emailVerified: integer("email_verified", { mode: "boolean" }).notNull().default(false),
    image: text("image"),
    role: text("role", { enum: ["user", "admin"] })
      .notNull()
      .default("user"),
    /** `removed` means that the user can no longer use the account, but its connections are still being removed. */
    status: text("status", { enum: ["active", "suspended", "removed"] })
      .notNull()
      .default("active"),
    /** The account is suspended until this time (Unix ms) and then removed. Null if no removal is scheduled. */
    removalDueAt: integer("removal_due_at"),
    /** When an administrator invited this user (Unix ms). Null if the user signed up. */
    invitedAt: integer("invited_at"),
    /** Time of the last request by the user or an account key (Unix ms), accurate to an hour. */
    lastSeenAt: integer("last_seen_at"),
    createdAt,
    updatedAt,
  },
  (table) => [
    index("user_created").on(table.createdAt, table.id),
    index("user_removal_due")
      .on(table.removalDueAt)
      .where(sql`removal_due_at IS NOT NULL`),
    index("user_removed")
      .on(table.updatedAt)
      .where(sql`status = 'removed'`),
  ],
);

export const session = sqliteTable(
  "session",
  {
    id: text("id").primaryKey(),
    token: text("token").notNull().unique(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }).notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** The URL of the external issuer. Null if the user signs in with a password. */
    issuer: text("issuer"),
    createdAt,
    /** Also updated when the session is used, at most every ten minutes. */
    updatedAt,
  },
  (table) => [index("session_user").on(table.userId)],
);

/** Where to send notifications for a session's browser. `p256dh` and `auth` are the browser's keys in base64url. */
export const pushSubscription = sqliteTable("push_subscription", {
  sessionId: text("session_id")
    .primaryKey()
    .references(() => session.id, { onDelete: "cascade" }),
  endpoint: text("endpoint").notNull().unique(),
  p256dh: text("p256dh").notNull(),
  auth: text("auth").notNull(),
  /** The server key that the browser expects (src/services/push/web-push.ts). */
  keyId: text("key_id").notNull(),
  language: text("language", { enum: ["pt", "en"] }).notNull(),
});

export const account = sqliteTable(
  "account",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id, { onDelete: "cascade" }),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: integer("access_token_expires_at", { mode: "timestamp_ms" }),
    refreshTokenExpiresAt: integer("refresh_token_expires_at", { mode: "timestamp_ms" }),
    scope: text("scope"),
    password: text("password"),
    createdAt,
    updatedAt,
  },
  (table) => [index("account_user").on(table.userId), uniqueIndex("account_subject").on(table.providerId, table.accountId)],
);

export const verification = sqliteTable(
  "verification",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }).notNull(),
    createdAt,
    updatedAt,
  },
  (table) => [index("verification_identifier").on(table.identifier)],
);

/** The private key is encrypted with AUTH_SECRET. */
export const jwks = sqliteTable("jwks", {
  id: text("id").primaryKey(),
  publicKey: text("public_key").notNull(),
  privateKey: text("private_key").notNull(),
  alg: text("alg"),
  crv: text("crv"),
  createdAt,
  expiresAt: integer("expires_at", { mode: "timestamp_ms" }),
});
