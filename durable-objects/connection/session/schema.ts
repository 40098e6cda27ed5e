import type { Migrations } from "../../shared/migrate.ts";

export const SESSION_MIGRATIONS: Migrations = [
  // The connection's record in D1, as one row: JSON of ConnectionRecord. `proxy`: the proxy's address with its password, encrypted.
  "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL, proxy BLOB)",
  // What was last written to D1: JSON of DirectoryEntry.
  "CREATE TABLE noted (one INTEGER PRIMARY KEY CHECK (one = 1), told TEXT NOT NULL)",
  // JSON of InstanceState.
  "CREATE TABLE instance (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
  // Unused tickets of the session socket: SHA-256, hex.
  "CREATE TABLE ticket (hash TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID",
  // The session that may change state rows, its last stored commit and the id of its bridge. `counts`: what the running hour has counted,
  // JSON, written by the statistics alone. `facts`: how many facts there were so far: the place behind the last one, for streams that go on
  // after it. `cold`: the newest cold rows, JSON of [key, value, expires_at] (Unix ms); `cold_row` has very long ones. `sessions`: the Signal
  // sessions that changed last, JSON of [key, value]; where `state_row` has the same key, its value is an older one.
  `CREATE TABLE progress (
     one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL, seq INTEGER NOT NULL, bridge TEXT, counts TEXT,
     facts INTEGER NOT NULL DEFAULT 0, cold TEXT, sessions TEXT
   )`,
  // Session credentials, signal keys and stanza journal, encrypted by the bridge. An empty value means: see row_part.
  "CREATE TABLE state_row (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  // Rows that are read one by one and expire (COLD_ROWS).
  "CREATE TABLE cold_row (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL)",
  "CREATE INDEX cold_row_expiry ON cold_row (expires_at)",
  // Values too long for one row of SQLite in objects (2 MB).
  "CREATE TABLE row_part (key TEXT NOT NULL, part INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key, part))",
  // Pending mails to the owner: when the number stopped reconnecting, and when the mail is tried next (Unix ms).
  "CREATE TABLE owner_alert (at INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0)",
  // The object's keys, encrypted under the entry `kid` of STATE_SECRET.
  "CREATE TABLE data_key (name TEXT PRIMARY KEY, kid INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID",
  // Of each kind of mail that the owner asked for: its last occasion, and when it is tried next; null: that one is done (Unix ms).
  "CREATE TABLE owner_warning (kind TEXT PRIMARY KEY, since INTEGER NOT NULL, due_at INTEGER, tries INTEGER NOT NULL) WITHOUT ROWID",
  // Cold rows of one type, oldest first; `expires_at`: when the last of them does. JSON of the keys, and of the values in the same order.
  `CREATE TABLE cold_page (
     type TEXT NOT NULL, no INTEGER NOT NULL, expires_at INTEGER NOT NULL, keys TEXT NOT NULL, vals TEXT NOT NULL, PRIMARY KEY (type, no)
   ) WITHOUT ROWID`,
];
