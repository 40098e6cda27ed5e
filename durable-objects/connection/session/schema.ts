import type { Migrations } from "../../shared/migrate.ts";

export const SESSION_MIGRATIONS: Migrations = [
  // Copy of the connection's D1 record: JSON of ConnectionRecord. `proxy`: the proxy's URL with its password, encrypted.
  "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL, proxy BLOB)",
  "CREATE TABLE noted (one INTEGER PRIMARY KEY CHECK (one = 1), entry TEXT NOT NULL)",
  "CREATE TABLE instance (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
  // Unused tickets of the session socket: SHA-256, hex.
  "CREATE TABLE ticket (hash TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID",
  // The session that may change state rows: its last stored commit and its bridge's id. `counts`: JSON of the current hour's counts,
  // written by the statistics. `facts`: the number of events so far, which streams use to resume. `cold`: the newest cold rows, JSON of
  // [key, value, expires_at] (Unix ms). `sessions`: the last changed Signal sessions, JSON of [key, value]; they supersede the same
  // keys in `state_row`.
  `CREATE TABLE progress (
     one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL, seq INTEGER NOT NULL, bridge TEXT, counts TEXT,
     facts INTEGER NOT NULL DEFAULT 0, cold TEXT, sessions TEXT
   )`,
  // Session credentials, Signal keys and stanza journal, encrypted by the bridge. An empty value means that the value is in row_part.
  "CREATE TABLE state_row (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  // Long rows that expire (COLD_ROWS).
  "CREATE TABLE cold_row (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL)",
  "CREATE INDEX cold_row_expiry ON cold_row (expires_at)",
  // Parts of values that exceed one SQLite row of an object (2 MB).
  "CREATE TABLE row_part (key TEXT NOT NULL, part INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key, part))",
  // Pending emails to the owner: when the number went offline, and when to send the email next (Unix ms).
  "CREATE TABLE owner_alert (at INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0)",
  // The object's keys, encrypted under the entry `kid` of STATE_SECRET.
  "CREATE TABLE data_key (name TEXT PRIMARY KEY, kid INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID",
  // Last occasion of each kind of warning email, and when to send the email next; null: done (Unix ms).
  "CREATE TABLE owner_warning (kind TEXT PRIMARY KEY, since INTEGER NOT NULL, due_at INTEGER, tries INTEGER NOT NULL) WITHOUT ROWID",
  // Pages of cold rows of one type, oldest first; `expires_at`: of the last row. JSON of the keys, and of the values in the same order.
  `CREATE TABLE cold_page (
     type TEXT NOT NULL, no INTEGER NOT NULL, expires_at INTEGER NOT NULL, keys TEXT NOT NULL, vals TEXT NOT NULL, PRIMARY KEY (type, no)
   ) WITHOUT ROWID`,
];
