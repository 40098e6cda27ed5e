import { GATE_OPERATIONS, GATE_STORED_CALLS, GATE_TABLES } from "../../shared/gate/schema.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const ADMISSION_MIGRATIONS: Migrations = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
     created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
   ) WITHOUT ROWID;
   ${GATE_TABLES}`,
  GATE_STORED_CALLS,
  // Answers of an earlier release held webhooks' signing secrets.
  `UPDATE replay SET answer = json_set(answer, '$.json', '' || json_set(answer ->> '$.json', '$.secret', NULL))
   WHERE answer LIKE '%whsec\\_%' ESCAPE '\\' AND answer ->> '$.json' ->> '$.secret' IS NOT NULL`,
  GATE_OPERATIONS,
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
