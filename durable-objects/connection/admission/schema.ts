/** What a `Gate` keeps. */
const GATE_TABLES = `CREATE TABLE replay (
     id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, message_id TEXT NOT NULL, answer TEXT,
     claimed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX replay_expiry ON replay (expires_at);
   CREATE TABLE repeated_read (read TEXT PRIMARY KEY, times TEXT NOT NULL, newest INTEGER NOT NULL) WITHOUT ROWID;`;

/** Append-only: never edit an entry. */
export const ADMISSION_MIGRATIONS: readonly string[] = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
     created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID;
   ${GATE_TABLES}`,
];

/** Of objects that have a gate and no keys. Append-only. */
export const GATE_MIGRATIONS: readonly string[] = [GATE_TABLES];
