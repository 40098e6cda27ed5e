import type { Migrations } from "../../shared/migrate.ts";

/** Tables of a number of the Cloud API; all of them empty on a connection of the other kind. Times in Unix ms. */
export const CLOUD_MIGRATIONS: Migrations = [
  // The number's credentials: what is secret encrypted, each under its own name. The secret before holds until `previous_until`.
  // `app_id` null: the app does not hear of the number yet, and the number may have to be registered with the PIN first.
  `CREATE TABLE cloud_credentials (
     one INTEGER PRIMARY KEY CHECK (one = 1), phone_number_id TEXT NOT NULL, waba_id TEXT NOT NULL, app_id TEXT,
     access_token BLOB NOT NULL, app_secret BLOB NOT NULL, verify_token BLOB NOT NULL, previous_secret BLOB, previous_until INTEGER,
     pin BLOB
   )`,
  // When the credentials are tried next, and what the last answer said of the number: JSON of CloudNumber. `connects`: it is to be
  // connected then, because what held it is over.
  `CREATE TABLE cloud_check (
     one INTEGER PRIMARY KEY CHECK (one = 1), due_at INTEGER, connects INTEGER NOT NULL DEFAULT 0, checked_at INTEGER, number TEXT
   )`,
  // People by Meta's id for this business; one may have had several ids. `lid`: digits of our own making, one for a person.
  `CREATE TABLE cloud_people (no INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, lid TEXT NOT NULL, phone TEXT, username TEXT);
   CREATE INDEX cloud_people_of_lid ON cloud_people (lid);
   CREATE INDEX cloud_people_of_phone ON cloud_people (phone);
   CREATE TABLE cloud_groups (group_id TEXT PRIMARY KEY, digits TEXT NOT NULL UNIQUE) WITHOUT ROWID;
   CREATE TABLE cloud_spellings (asked TEXT PRIMARY KEY, wa_id TEXT NOT NULL) WITHOUT ROWID`,
  // Own messages that may have left: stored in the step in which the request begins. `chat_id` null: it makes no message of its own. `wamid`:
  // Graph's name, null until an answer or a status says it.
  `CREATE TABLE cloud_sends (message_id TEXT PRIMARY KEY, chat_id TEXT, wrote_at INTEGER NOT NULL, wamid TEXT);
   CREATE INDEX cloud_sends_of_wamid ON cloud_sends (wamid) WHERE wamid IS NOT NULL;
   CREATE INDEX cloud_sends_age ON cloud_sends (wrote_at)`,
  // What webhooks said and waits, in order of arrival: one item of a change each. `chat`: whose order it keeps. `wanted_at`: when its file was
  // asked for. `due_at`: the file is waited for until then; null: nothing is.
  `CREATE TABLE cloud_inbox (
     no INTEGER PRIMARY KEY, chat TEXT, change TEXT NOT NULL, received_at INTEGER NOT NULL, wanted_at INTEGER, due_at INTEGER
   );
   CREATE INDEX cloud_inbox_of_chat ON cloud_inbox (chat);
   CREATE INDEX cloud_inbox_waiting ON cloud_inbox (chat, no) WHERE due_at IS NOT NULL`,
  // Changes that could not be read.
  "CREATE TABLE cloud_unread (no INTEGER PRIMARY KEY, kept_at INTEGER NOT NULL, field TEXT NOT NULL, reason TEXT NOT NULL, raw TEXT NOT NULL)",
  // Files of received messages, until they are stored and told of. `file`: JSON of CloudFile. `due_at`: when it is tried next; null: no more.
  // `told`: the message was told without it. `media`: JSON of StoredMedia, once it is stored.
  `CREATE TABLE cloud_files (
     message_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, file TEXT NOT NULL, asked_at INTEGER NOT NULL, tries INTEGER NOT NULL,
     due_at INTEGER, told INTEGER NOT NULL, media TEXT
   ) WITHOUT ROWID`,
  "CREATE INDEX cloud_files_due ON cloud_files (due_at) WHERE due_at IS NOT NULL",
  // When Graph refused to name a file, within the last hour.
  "CREATE TABLE cloud_file_refusals (at INTEGER NOT NULL)",
];
