import type { Migrations } from "../schema.ts";

export const SESSION_MIGRATIONS: Migrations = [
  // What D1 says about this connection: one row, JSON of ConnectionRecord.
  "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL)",
];
