import { GATE_TABLES } from "../../shared/gate/schema.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const ADMISSION_MIGRATIONS: Migrations = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
     created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID;
   ${GATE_TABLES}`,
  // The request log: `size` calls that were answered one after the other, of one ring, JSON; `last`: the place of the last one.
  `CREATE TABLE request_log (
     ring INTEGER NOT NULL, last INTEGER NOT NULL, size INTEGER NOT NULL, ended_at INTEGER NOT NULL, entries TEXT NOT NULL,
     PRIMARY KEY (ring, last)
   ) WITHOUT ROWID`,
  `CREATE TABLE pairing_link (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, label TEXT NOT NULL, created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, opened_at INTEGER, used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID`,
];
