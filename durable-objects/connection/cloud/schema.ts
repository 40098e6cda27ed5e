import type { Migrations } from "../../shared/migrate.ts";

/** Tables of a Cloud API number, which are empty for sessions. Times are in Unix ms. */
export const CLOUD_MIGRATIONS: Migrations = [
  // The number's credentials, each secret encrypted separately. The previous app secret is valid until `previous_until`. If `app_id` is
  // null, the app is not subscribed yet, and the number may have to be registered with the PIN.
  `CREATE TABLE cloud_credentials (
     one INTEGER PRIMARY KEY CHECK (one = 1), phone_number_id TEXT NOT NULL, waba_id TEXT NOT NULL, app_id TEXT,
     access_token BLOB NOT NULL, app_secret BLOB NOT NULL, verify_token BLOB NOT NULL, previous_secret BLOB, previous_until INTEGER,
     pin BLOB
   )`,
  // When the credentials are checked next, and the latest result as JSON of CloudNumber. `connects` means that the check also connects the
  // number.
  `CREATE TABLE cloud_check (
     one INTEGER PRIMARY KEY CHECK (one = 1), due_at INTEGER, connects INTEGER NOT NULL DEFAULT 0, checked_at INTEGER, number TEXT
   )`,
  // People by Meta's id for this business. A person may have had several ids. `lid` is a surrogate, one per person.
  `CREATE TABLE cloud_people (no INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, lid TEXT NOT NULL, phone TEXT, username TEXT);
   CREATE INDEX cloud_people_of_lid ON cloud_people (lid);
   CREATE INDEX cloud_people_of_phone ON cloud_people (phone);
   CREATE TABLE cloud_groups (group_id TEXT PRIMARY KEY, digits TEXT NOT NULL UNIQUE) WITHOUT ROWID;
   CREATE TABLE cloud_spellings (asked TEXT PRIMARY KEY, wa_id TEXT NOT NULL) WITHOUT ROWID`,
  // Own messages that may have been sent, stored in the same step that starts the request. `chat_id` is null for a send that creates no
  // message. `wamid` is Graph's message id, and null until a response or status reports it.
  `CREATE TABLE cloud_sends (message_id TEXT PRIMARY KEY, chat_id TEXT, wrote_at INTEGER NOT NULL, wamid TEXT);
   CREATE INDEX cloud_sends_of_wamid ON cloud_sends (wamid) WHERE wamid IS NOT NULL;
   CREATE INDEX cloud_sends_age ON cloud_sends (wrote_at)`,
  // Waiting webhook changes in arrival order, one item each. `chat` is the chat whose order must be kept. `wanted_at` says when the item's
  // file was requested. `due_at` says how long the item waits for its file, or null.
  `CREATE TABLE cloud_inbox (
     no INTEGER PRIMARY KEY, chat TEXT, change TEXT NOT NULL, received_at INTEGER NOT NULL, wanted_at INTEGER, due_at INTEGER
   );
   CREATE INDEX cloud_inbox_of_chat ON cloud_inbox (chat);
   CREATE INDEX cloud_inbox_waiting ON cloud_inbox (chat, no) WHERE due_at IS NOT NULL`,
  "CREATE TABLE cloud_unread (no INTEGER PRIMARY KEY, kept_at INTEGER NOT NULL, field TEXT NOT NULL, reason TEXT NOT NULL, raw TEXT NOT NULL)",
  // Files of received messages until they are stored and emitted. `file` is JSON of CloudFile. `due_at` is the time of the next attempt, or
  // null. `emitted` means that the message was emitted without the file. `media` is JSON of StoredMedia once the file is stored.
  `CREATE TABLE cloud_files (
     message_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, file TEXT NOT NULL, asked_at INTEGER NOT NULL, tries INTEGER NOT NULL,
     due_at INTEGER, emitted INTEGER NOT NULL, media TEXT
   ) WITHOUT ROWID`,
  "CREATE INDEX cloud_files_due ON cloud_files (due_at) WHERE due_at IS NOT NULL",
  "CREATE TABLE cloud_file_refusals (at INTEGER NOT NULL)",
];
