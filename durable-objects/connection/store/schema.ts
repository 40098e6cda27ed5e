// Tables of the number's data: messages, chats, people, groups, labels, calls, channels.
//
// Persons are a pair of columns (phone, lid); `who` is `chatIdOf(person)`, or "me". `*_at` is Unix ms, `timestamp` and
// `last_at` are Unix seconds. Rows about a message (reactions, votes, receipts) refer to its id, not its row, so that they may arrive
// before it.
//
// `place` copies `no`, because SQLite compares only a real column as part of an index; it keeps pages of rows of the same second cheap.

const MESSAGES = `
  CREATE TABLE messages (
    no INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL, chat_id TEXT NOT NULL, from_me INTEGER NOT NULL,
    sender_phone TEXT, sender_lid TEXT, push_name TEXT,
    timestamp INTEGER NOT NULL, type TEXT NOT NULL, text TEXT, media TEXT, details TEXT,
    announced INTEGER NOT NULL,
    status TEXT, failure TEXT, source TEXT, reference TEXT,
    starred INTEGER NOT NULL DEFAULT 0,
    edited_at INTEGER, deleted_at INTEGER,
    accepted_at INTEGER, delivered_at INTEGER, read_at INTEGER, played_at INTEGER,
    raw TEXT,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE UNIQUE INDEX messages_identity ON messages (message_id, chat_id, from_me);
  CREATE INDEX messages_of_chat ON messages (chat_id, timestamp, place);
  CREATE INDEX messages_of_side ON messages (from_me, timestamp, place);
  CREATE INDEX messages_of_reference ON messages (reference, timestamp, place) WHERE reference IS NOT NULL;
  CREATE INDEX messages_unsent ON messages (status, timestamp, place) WHERE status IN ('pending', 'failed');
  CREATE TABLE removed_messages (
    no INTEGER PRIMARY KEY, message_id TEXT NOT NULL, chat_id TEXT NOT NULL, from_me INTEGER NOT NULL, removed_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX removed_messages_identity ON removed_messages (chat_id, message_id, from_me);`;

const MESSAGE_EXTRAS = `
  CREATE TABLE reactions (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    reaction TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;
  CREATE TABLE votes (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    options TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;
  CREATE TABLE receipts (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    delivered_at INTEGER, read_at INTEGER, played_at INTEGER, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;
  CREATE TABLE early (
    no INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, message_id TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, noted_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX early_identity ON early (chat_id, message_id, kind);
  CREATE TABLE seen (no INTEGER PRIMARY KEY, key TEXT NOT NULL, seen_at INTEGER NOT NULL);
  CREATE UNIQUE INDEX seen_key ON seen (key);`;

const CHATS = `
  CREATE TABLE chats (
    no INTEGER PRIMARY KEY, chat_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT,
    unread_count INTEGER NOT NULL DEFAULT 0, marked_unread INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0,
    muted_until INTEGER, disappearing_seconds INTEGER NOT NULL DEFAULT 0, picture TEXT,
    last_no INTEGER, last_at INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE INDEX chats_in_order ON chats (pinned, last_at, place);
  CREATE INDEX chats_of_many ON chats (kind, pinned, last_at, place) WHERE kind <> 'direct';
  CREATE INDEX chats_archived ON chats (pinned, last_at, place) WHERE archived = 1;
  CREATE VIRTUAL TABLE chat_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER chat_created AFTER INSERT ON chats BEGIN
    INSERT INTO chat_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, substr(NEW.chat_id, 1, instr(NEW.chat_id, '@') - 1)));
  END;
  CREATE TRIGGER chat_renamed AFTER UPDATE OF name, chat_id ON chats WHEN NEW.name IS NOT OLD.name OR NEW.chat_id <> OLD.chat_id BEGIN
    INSERT OR REPLACE INTO chat_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, substr(NEW.chat_id, 1, instr(NEW.chat_id, '@') - 1)));
  END;
  CREATE TRIGGER chat_removed AFTER DELETE ON chats BEGIN DELETE FROM chat_names WHERE rowid = OLD.no; END;`;

// `sort`: the order of lists; rows without a name come last.
const CONTACTS = `
  CREATE TABLE contacts (
    no INTEGER PRIMARY KEY, contact_id TEXT NOT NULL UNIQUE, phone TEXT, lid TEXT,
    name TEXT, push_name TEXT, verified_name TEXT,
    is_saved INTEGER NOT NULL DEFAULT 0, is_business INTEGER NOT NULL DEFAULT 0, is_blocked INTEGER NOT NULL DEFAULT 0,
    picture TEXT, revision INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
    sort TEXT GENERATED ALWAYS AS (lower(COALESCE(name, push_name, verified_name, char(1114111)))) VIRTUAL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL
  );
  CREATE INDEX contacts_in_order ON contacts (sort, place);
  CREATE INDEX contacts_saved ON contacts (sort, place) WHERE is_saved = 1;
  CREATE INDEX contacts_blocked ON contacts (sort, place) WHERE is_blocked = 1;
  CREATE VIRTUAL TABLE contact_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER contact_created AFTER INSERT ON contacts BEGIN
    INSERT INTO contact_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, NEW.push_name, NEW.verified_name, NEW.phone));
  END;
  CREATE TRIGGER contact_renamed AFTER UPDATE OF name, push_name, verified_name, phone ON contacts BEGIN
    INSERT OR REPLACE INTO contact_names (rowid, text) VALUES (NEW.no, concat_ws(' ', NEW.name, NEW.push_name, NEW.verified_name, NEW.phone));
  END;
  CREATE TRIGGER contact_removed AFTER DELETE ON contacts BEGIN DELETE FROM contact_names WHERE rowid = OLD.no; END;
  CREATE TABLE lids (lid TEXT PRIMARY KEY, phone TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX lids_of_phone ON lids (phone);
  CREATE TABLE self (one INTEGER PRIMARY KEY CHECK (one = 1), phone TEXT NOT NULL, lid TEXT);`;

// `read_at`: when a full snapshot of the group was last read; events keep it current from then on.
const GROUPS = `
  CREATE TABLE groups (
    no INTEGER PRIMARY KEY, group_id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL DEFAULT '', description TEXT,
    owner_phone TEXT, owner_lid TEXT, created_at INTEGER,
    messages_admins_only INTEGER NOT NULL DEFAULT 0, info_admins_only INTEGER NOT NULL DEFAULT 0,
    members_can_add INTEGER NOT NULL DEFAULT 0, join_approval INTEGER NOT NULL DEFAULT 0, disappearing_seconds INTEGER NOT NULL DEFAULT 0,
    community_id TEXT, is_announcement_group INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0, my_role TEXT NOT NULL DEFAULT 'none', picture TEXT,
    sort TEXT GENERATED ALWAYS AS (lower(subject)) VIRTUAL,
    place INTEGER GENERATED ALWAYS AS (no) VIRTUAL,
    read_at INTEGER, invite_link TEXT
  );
  CREATE INDEX groups_in_order ON groups (sort, place);
  CREATE VIRTUAL TABLE group_names USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER group_created AFTER INSERT ON groups BEGIN INSERT INTO group_names (rowid, text) VALUES (NEW.no, NEW.subject); END;
  CREATE TRIGGER group_renamed AFTER UPDATE OF subject ON groups WHEN NEW.subject <> OLD.subject BEGIN
    INSERT OR REPLACE INTO group_names (rowid, text) VALUES (NEW.no, NEW.subject);
  END;
  CREATE TRIGGER group_removed AFTER DELETE ON groups BEGIN DELETE FROM group_names WHERE rowid = OLD.no; END;
  CREATE TABLE participants (
    group_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT, role TEXT NOT NULL, PRIMARY KEY (group_id, who)
  ) WITHOUT ROWID;
  CREATE INDEX participants_of_person ON participants (who);
  CREATE TABLE refreshes (what TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;`;

const LABELS_CALLS_CHANNELS_PRESENCES = `
  CREATE TABLE labels (
    label_id TEXT PRIMARY KEY, name TEXT NOT NULL, color INTEGER NOT NULL, predefined INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE label_chats (chat_id TEXT NOT NULL, label_id TEXT NOT NULL, PRIMARY KEY (chat_id, label_id)) WITHOUT ROWID;
  CREATE INDEX label_chats_of_label ON label_chats (label_id, chat_id);
  CREATE TABLE label_messages (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, label_id TEXT NOT NULL, PRIMARY KEY (chat_id, message_id, label_id)
  ) WITHOUT ROWID;
  CREATE INDEX label_messages_of_label ON label_messages (label_id);
  CREATE TABLE calls (
    call_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, phone TEXT, lid TEXT, is_video INTEGER NOT NULL, is_group INTEGER NOT NULL,
    status TEXT NOT NULL, rejected_here INTEGER NOT NULL DEFAULT 0, timestamp INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX calls_in_order ON calls (timestamp, call_id);
  CREATE INDEX calls_of_chat ON calls (chat_id);
  CREATE TABLE channels (
    channel_id TEXT PRIMARY KEY, name TEXT, description TEXT, invite_link TEXT, role TEXT NOT NULL DEFAULT 'guest',
    subscribers INTEGER, verified INTEGER NOT NULL DEFAULT 0, muted INTEGER NOT NULL DEFAULT 0, picture TEXT, created_at INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE presence_subscriptions (chat_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE presences (
    chat_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT, presence TEXT NOT NULL, last_seen INTEGER, updated_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, who)
  ) WITHOUT ROWID;`;

// `own_presence`: as the customer set it. `account_limits`: the network's last report on new chats, JSON of NewChatQuota.
const NUMBER_HEALTH = `
  CREATE TABLE own_presence (one INTEGER PRIMARY KEY CHECK (one = 1), presence TEXT NOT NULL);
  CREATE TABLE account_limits (one INTEGER PRIMARY KEY CHECK (one = 1), checked_at INTEGER NOT NULL, new_chat_quota TEXT);
  CREATE TABLE reconnects (no INTEGER PRIMARY KEY, at INTEGER NOT NULL);`;

// Who may see an own status post: JSON of Person[].
const STATUS_AUDIENCES = `
  CREATE TABLE status_audiences (no INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, recipients TEXT NOT NULL, kept_at INTEGER NOT NULL);`;

// Progress of the phone's history sync, as last reported.
const HISTORY_SYNC = `
  CREATE TABLE history_sync (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, progress REAL);`;

// Tokens of files whose message is gone: they are deleted from R2 afterwards. Triggers, so that no way of removing a message forgets its file;
// a message stored under two ids for a while has its file in both rows.
const REMOVED_FILES = `
  CREATE TABLE removed_files (token TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TRIGGER message_file_removed AFTER DELETE ON messages WHEN json_extract(OLD.media, '$.token') IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages m WHERE m.message_id = OLD.message_id AND json_extract(m.media, '$.token') = json_extract(OLD.media, '$.token')) BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.media, '$.token'));
  END;
  CREATE TRIGGER message_file_erased AFTER UPDATE OF media ON messages WHEN NEW.media IS NULL AND json_extract(OLD.media, '$.token') IS NOT NULL BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.media, '$.token'));
  END;`;

// The same for files that waited for their message: it never came, it was deleted before, or another file took their place.
const FILES_WITHOUT_MESSAGE = `
  CREATE TRIGGER early_file_dropped AFTER DELETE ON early WHEN OLD.kind = 'media' AND json_extract(OLD.value, '$.token') IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM messages m WHERE m.message_id = OLD.message_id AND json_extract(m.media, '$.token') = json_extract(OLD.value, '$.token')) BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.value, '$.token'));
  END;
  CREATE TRIGGER early_file_replaced AFTER UPDATE OF value ON early WHEN OLD.kind = 'media' AND json_extract(OLD.value, '$.token') IS NOT NULL
    AND json_extract(OLD.value, '$.token') IS NOT json_extract(NEW.value, '$.token') BEGIN
    INSERT OR IGNORE INTO removed_files (token) VALUES (json_extract(OLD.value, '$.token'));
  END;`;

// An index of the unread chats in their order would have an entry written with every message; a chat enters and leaves this list far less
// often.
const UNREAD_CHATS = `
  CREATE TABLE unread_chats (no INTEGER PRIMARY KEY);
  CREATE TRIGGER chat_created_unread AFTER INSERT ON chats WHEN NEW.unread_count > 0 OR NEW.marked_unread = 1 BEGIN
    INSERT INTO unread_chats (no) VALUES (NEW.no);
  END;
  CREATE TRIGGER chat_unread AFTER UPDATE OF unread_count, marked_unread ON chats
    WHEN (NEW.unread_count > 0 OR NEW.marked_unread = 1) AND NOT (OLD.unread_count > 0 OR OLD.marked_unread = 1) BEGIN
    INSERT INTO unread_chats (no) VALUES (NEW.no);
  END;
  CREATE TRIGGER chat_read AFTER UPDATE OF unread_count, marked_unread ON chats
    WHEN NOT (NEW.unread_count > 0 OR NEW.marked_unread = 1) AND (OLD.unread_count > 0 OR OLD.marked_unread = 1) BEGIN
    DELETE FROM unread_chats WHERE no = NEW.no;
  END;
  CREATE TRIGGER chat_removed_unread AFTER DELETE ON chats WHEN OLD.unread_count > 0 OR OLD.marked_unread = 1 BEGIN
    DELETE FROM unread_chats WHERE no = OLD.no;
  END;`;

/** Append-only: never edit an entry. */
export const STORE_MIGRATIONS: readonly string[] = [
  MESSAGES,
  MESSAGE_EXTRAS,
  CHATS,
  CONTACTS,
  GROUPS,
  LABELS_CALLS_CHANNELS_PRESENCES,
  NUMBER_HEALTH,
  STATUS_AUDIENCES,
  HISTORY_SYNC,
  REMOVED_FILES,
  FILES_WITHOUT_MESSAGE,
  UNREAD_CHATS,
];
