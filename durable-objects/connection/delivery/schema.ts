import type { Migrations } from "../../shared/migrate.ts";

/** Append-only: never edit an entry. Times are in Unix ms. */
export const DELIVERY_MIGRATIONS: Migrations = [
  // Each endpoint has one queue. Queue ids are never reused, because a removed queue's rows are deleted later. `offered` contains the event
  // types that existed when this endpoint's types were chosen. `notified_hour` is the hour in which the account's guard was last notified
  // of failures at this endpoint.
  `CREATE TABLE endpoint (
     queue_id INTEGER PRIMARY KEY AUTOINCREMENT, style TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL,
     headers TEXT NOT NULL, retries INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, active INTEGER NOT NULL, created_at INTEGER NOT NULL,
     first_failed_at INTEGER, last_success_at INTEGER, unreachable INTEGER NOT NULL DEFAULT 0,
     disabled_at INTEGER, tested_at INTEGER, removed INTEGER NOT NULL DEFAULT 0, last_failed_at INTEGER, offered TEXT NOT NULL DEFAULT '[]',
     recovering INTEGER NOT NULL DEFAULT 0, notified_hour INTEGER
   );
   CREATE UNIQUE INDEX endpoint_id ON endpoint (style, id) WHERE removed = 0;
   CREATE TABLE secret (
     number INTEGER PRIMARY KEY AUTOINCREMENT, queue_id INTEGER NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER
   );`,
  // `seq` grows with time. Deliveries `body .. body + copies - 1` of one event share a body, and `size` is its length in characters. `text`
  // and `trace` are the body and trace of an event with a single delivery; otherwise they are in `body`. `resent_*` contain the state and
  // next attempt before a resend, or null. `ended` is the number under which the result was counted (`Counters.defer`), or null. Index
  // entries are billed like rows, so there is none by queue, and none by due time in a first attempt (`due_at` is null). `body.trace` is
  // the `traceparent` of the span that stored the event, or null.
  `CREATE TABLE delivery (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue_id INTEGER NOT NULL, body INTEGER NOT NULL, size INTEGER NOT NULL,
     type TEXT NOT NULL, created_at INTEGER NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
     failures INTEGER NOT NULL DEFAULT 0, due_at INTEGER, http_status INTEGER, error TEXT, settled_at INTEGER, log TEXT,
     resent_state INTEGER, resent_due_at INTEGER, trace TEXT, text TEXT, ended INTEGER
   );
   CREATE INDEX delivery_due ON delivery (state, queue_id, due_at) WHERE due_at IS NOT NULL;
   CREATE TABLE body (seq INTEGER PRIMARY KEY, copies INTEGER NOT NULL, created_at INTEGER NOT NULL, text TEXT NOT NULL, trace TEXT);
   CREATE TABLE delivery_upkeep (one INTEGER PRIMARY KEY CHECK (one = 1), swept INTEGER NOT NULL);
   INSERT INTO delivery_upkeep VALUES (1, 0);
   CREATE TABLE resend (
     number INTEGER PRIMARY KEY AUTOINCREMENT, queue_id INTEGER NOT NULL, after INTEGER NOT NULL, through INTEGER NOT NULL
   );`,
  `CREATE TABLE notice (
     queue_id INTEGER NOT NULL, disabled_at INTEGER NOT NULL, url TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, due_at INTEGER,
     PRIMARY KEY (queue_id, disabled_at)
   ) WITHOUT ROWID;`,
  // The last applied revision of the account's endpoints (D1, `endpoint_set`).
  "CREATE TABLE account_endpoints (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL)",
];
