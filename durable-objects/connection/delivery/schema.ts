import type { Migrations } from "../../shared/migrate.ts";

/** Append-only: never edit an entry. Times are Unix ms. */
export const DELIVERY_MIGRATIONS: Migrations = [
  // A lane is one endpoint's queue. Lane numbers are never reused, because a removed lane's rows are deleted later, in slices. `offered`: the
  // event types that could be chosen when this endpoint's were. `notified_hour`: the hour in which the account's guard was last told that
  // deliveries fail at this endpoint of it.
  `CREATE TABLE endpoint (
     lane INTEGER PRIMARY KEY AUTOINCREMENT, style TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL,
     headers TEXT NOT NULL, retries INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, active INTEGER NOT NULL, created_at INTEGER NOT NULL,
     first_failed_at INTEGER, last_success_at INTEGER, unreachable INTEGER NOT NULL DEFAULT 0,
     disabled_at INTEGER, tested_at INTEGER, removed INTEGER NOT NULL DEFAULT 0, last_failed_at INTEGER, offered TEXT NOT NULL DEFAULT '[]',
     recovering INTEGER NOT NULL DEFAULT 0, notified_hour INTEGER
   );
   CREATE UNIQUE INDEX endpoint_id ON endpoint (style, id) WHERE removed = 0;
   CREATE TABLE secret (
     number INTEGER PRIMARY KEY AUTOINCREMENT, lane INTEGER NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER
   );`,
  // A delivery's seq grows with time. Its body is shared by the deliveries `body .. body + copies - 1` of one event; `size` is
  // that body's length in characters. `text` and `trace`: the body of a delivery that is its event's only one, and its trace; else they are
  // in `body`. `resent_*`: what it returns to when its resend fails, its state and next attempt before it; null while it is not being
  // resent. `ended`: the number under which its end was counted without a write of its own (`Counters.defer`); null: in the usual way.
  // A row of an index is billed like one of the table, so a delivery has as few as can be: none by lane, and none by due time during its
  // first attempt (`due_at` null). `body.trace`: `traceparent` of the span that stored the event; null: it is not traced.
  `CREATE TABLE delivery (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, lane INTEGER NOT NULL, body INTEGER NOT NULL, size INTEGER NOT NULL,
     type TEXT NOT NULL, created_at INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
     failures INTEGER NOT NULL DEFAULT 0, due_at INTEGER, http_status INTEGER, error TEXT, settled_at INTEGER, log TEXT,
     resent_state INTEGER, resent_due_at INTEGER, trace TEXT, text TEXT, ended INTEGER
   );
   CREATE INDEX delivery_due ON delivery (state, lane, due_at) WHERE due_at IS NOT NULL;
   CREATE TABLE body (seq INTEGER PRIMARY KEY, copies INTEGER NOT NULL, created_at INTEGER NOT NULL, text TEXT NOT NULL, trace TEXT);
   CREATE TABLE delivery_upkeep (one INTEGER PRIMARY KEY CHECK (one = 1), swept INTEGER NOT NULL);
   INSERT INTO delivery_upkeep VALUES (1, 0);
   CREATE TABLE resend (
     number INTEGER PRIMARY KEY AUTOINCREMENT, lane INTEGER NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL
   );`,
  // One mail per disabling, by key.
  `CREATE TABLE notice (
     lane INTEGER NOT NULL, disabled_at INTEGER NOT NULL, url TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, due_at INTEGER,
     PRIMARY KEY (lane, disabled_at)
   ) WITHOUT ROWID;`,
  // The revision of the account's endpoints (D1, `endpoint_set`) that was last applied here.
  "CREATE TABLE account_endpoints (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL)",
];
