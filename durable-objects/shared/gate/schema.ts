import type { Migrations } from "../migrate.ts";

/**
 * The tables of a `Gate`; the Connection object creates them in one migration with its own. `call`: JSON of `StoredCall`, while there is no
 * answer. `operation`: the operation that the stored answer is of.
 */
export const GATE_TABLES = `CREATE TABLE replay (
     id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, message_id TEXT NOT NULL, answer TEXT,
     claimed_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, call TEXT, operation TEXT
   ) WITHOUT ROWID;
   CREATE INDEX replay_expiry ON replay (expires_at);
   CREATE TABLE repeated_read (read TEXT PRIMARY KEY, times TEXT NOT NULL, newest INTEGER NOT NULL) WITHOUT ROWID;`;

/** Of objects that have a gate and no keys. */
export const GATE_MIGRATIONS: Migrations = [GATE_TABLES];
