import type { Migrations } from "../../shared/migrate.ts";

export const OUTBOX_MIGRATIONS: Migrations = [
  // One row per send, stored before it is dispatched. `request`: JSON of SendRequest, emptied when settled. `details`: JSON of
  // SendDetails. `outcome`: JSON of Outcome<SendResult>. `generation`: of the session it was last dispatched to. `failed_at`: when it was counted
  // as failed; null: it was not, as things stand. `counted`: as what a message that the network has accepted is counted, and when: JSON of
  // Counted; null: it was not. Times in Unix ms. Rows are numbered in the order of their arrival, which finds the oldest.
  `CREATE TABLE outbox (
     message_id TEXT PRIMARY KEY, state TEXT NOT NULL, generation INTEGER NOT NULL, asked_at INTEGER NOT NULL,
     request TEXT NOT NULL, details TEXT NOT NULL, outcome TEXT, failed_at INTEGER, counted TEXT
   )`,
  "CREATE INDEX outbox_open ON outbox (state, asked_at) WHERE state IN ('asked', 'uncertain', 'unproved')",
  // Chats that this number has started within the last hour, while its owner limits new chats. Unix ms.
  "CREATE TABLE chat_start (chat_id TEXT PRIMARY KEY, at INTEGER NOT NULL)",
];
