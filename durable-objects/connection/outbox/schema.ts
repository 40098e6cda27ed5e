import type { Migrations } from "../../shared/migrate.ts";

export const OUTBOX_MIGRATIONS: Migrations = [
  // One row per send, stored before it is dispatched. `request`: JSON of SendRequest, emptied when settled. `details`: JSON of
  // SendDetails. `outcome`: JSON of Outcome<SendResult>. `generation`: of the session it was last dispatched to. Times in Unix ms.
  `CREATE TABLE outbox (
     message_id TEXT PRIMARY KEY, state TEXT NOT NULL, generation INTEGER NOT NULL, asked_at INTEGER NOT NULL,
     request TEXT NOT NULL, details TEXT NOT NULL, outcome TEXT
   )`,
  "CREATE INDEX outbox_open ON outbox (state, asked_at) WHERE state IN ('asked', 'uncertain')",
  "CREATE INDEX outbox_age ON outbox (asked_at)",
  // Chats that this number has started within the last hour, while its owner limits new chats. Unix ms.
  "CREATE TABLE chat_start (chat_id TEXT PRIMARY KEY, at INTEGER NOT NULL)",
  `DROP INDEX outbox_open;
   CREATE INDEX outbox_open ON outbox (state, asked_at) WHERE state IN ('asked', 'uncertain', 'unproved')`,
  // When it was counted as failed (Unix ms); null: it was not, as things stand.
  "ALTER TABLE outbox ADD COLUMN failed_at INTEGER",
  // What a message that the network has accepted is counted as, and when: JSON of Counted. Null: it was not, or by a release before.
  "ALTER TABLE outbox ADD COLUMN counted TEXT",
  // Rows are numbered in the order of their arrival, which finds the oldest.
  "DROP INDEX outbox_age",
];
