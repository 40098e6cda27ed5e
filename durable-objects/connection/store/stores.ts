import type { ExportItem } from "@gateway/protocol/operations/instance.ts";
import { AccountLimits, ACCOUNT_LIMITS_SCHEMA } from "../instance/account-limits.ts";
import { ReconnectLog, RECONNECT_SCHEMA } from "../instance/reconnect-log.ts";
import { SendCounts } from "../instance/send-counts.ts";
import { Calls, CALL_SCHEMA } from "../calls/calls.ts";
import { Channels, CHANNEL_SCHEMA } from "../channels/channels.ts";
import { ChatQueries } from "../chats/chat-queries.ts";
import { Chats, CHAT_SCHEMA } from "../chats/chats.ts";
import { Contacts, CONTACT_SCHEMA } from "../contacts/contacts.ts";
import { Groups, GROUP_SCHEMA } from "../groups/groups.ts";
import { Labels, LABEL_SCHEMA } from "../labels/labels.ts";
import { Lids, LID_SCHEMA } from "../contacts/lids.ts";
import { MessageQueries } from "../messages/message-queries.ts";
import { Messages, MESSAGE_SCHEMA } from "../messages/messages.ts";
import { Presences, PRESENCE_SCHEMA } from "../presence/presences.ts";
import { OwnMessages, RECEIPT_SCHEMA } from "../messages/own-messages.ts";
import { OutOfOrderEvents } from "../messages/out-of-order-table.ts";
import { PollVotes, VOTE_SCHEMA } from "../messages/poll-votes.ts";
import { Reactions, REACTION_SCHEMA } from "../messages/reactions.ts";
import { StatusPosts, STATUS_AUDIENCE_SCHEMA } from "../statuses/status-posts.ts";
import { type MergeResult, mergeIdentities } from "../contacts/merge-identities.ts";
import { REMOVED_FILE_SCHEMA } from "../files/removed-files.ts";
import { DedupeKeys } from "./dedupe-keys.ts";
import { HistorySync } from "./history-sync.ts";
import { RefreshTimes } from "./refresh-times.ts";

// `early` contains changes that arrived before their message, and `seen` the keys of applied events. The last migration renames both.
// `refreshes` says when each kind of network data was last refreshed.
const OWN_SCHEMA = `
  CREATE TABLE early (
    no INTEGER PRIMARY KEY, chat_id TEXT NOT NULL, message_id TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, noted_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX early_identity ON early (chat_id, message_id, kind);
  CREATE TABLE seen (no INTEGER PRIMARY KEY, key TEXT NOT NULL, seen_at INTEGER NOT NULL);
  CREATE UNIQUE INDEX seen_key ON seen (key);
  CREATE TABLE refreshes (what TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE history_sync (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, progress REAL);`;

/**
 * Append-only: never edit an entry. A person is a pair of columns (phone, lid), and `who` is `chatIdOf(person)` or "me". `*_at` is in Unix
 * ms; `timestamp` and `last_at` are in Unix seconds. Rows about a message store its id, because they may arrive before it. `place` is a
 * copy of `no` that SQLite can index, so that a page does not have to sort many messages of the same second.
 */
export const STORE_MIGRATIONS: readonly string[] = [
  MESSAGE_SCHEMA,
  REACTION_SCHEMA + VOTE_SCHEMA,
  RECEIPT_SCHEMA,
  CHAT_SCHEMA,
  CONTACT_SCHEMA,
  LID_SCHEMA,
  GROUP_SCHEMA,
  LABEL_SCHEMA,
  CALL_SCHEMA,
  CHANNEL_SCHEMA,
  PRESENCE_SCHEMA,
  ACCOUNT_LIMITS_SCHEMA + RECONNECT_SCHEMA,
  STATUS_AUDIENCE_SCHEMA,
  OWN_SCHEMA,
  REMOVED_FILE_SCHEMA,
  "ALTER TABLE early RENAME TO out_of_order; ALTER TABLE seen RENAME TO dedupe_key",
];

const EXPORT_ROWS = 200;

export type ExportKind = Exclude<ExportItem["kind"], "instance">;

/** Stores do not cache, so a rollback needs no extra step. */
export class Stores {
  readonly messages: Messages;
  readonly messageQueries: MessageQueries;
  readonly ownMessages: OwnMessages;
  readonly reactions: Reactions;
  readonly votes: PollVotes;
  readonly outOfOrder: OutOfOrderEvents;
  readonly chats: Chats;
  readonly chatQueries: ChatQueries;
  readonly contacts: Contacts;
  readonly lids: Lids;
  readonly groups: Groups;
  readonly labels: Labels;
  readonly calls: Calls;
  readonly channels: Channels;
  readonly statusPosts: StatusPosts;
  readonly presences: Presences;
  readonly refreshTimes: RefreshTimes;
  readonly accountLimits: AccountLimits;
  readonly reconnectLog: ReconnectLog;
  readonly sendCounts: SendCounts;
  readonly historySync: HistorySync;
  readonly dedupeKeys: DedupeKeys;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.lids = new Lids(sql);
    this.messages = new Messages(sql, this.lids);
    this.ownMessages = new OwnMessages(sql);
    this.messageQueries = new MessageQueries(sql, this.lids, this.ownMessages);
    this.reactions = new Reactions(sql);
    this.votes = new PollVotes(sql);
    this.outOfOrder = new OutOfOrderEvents(sql);
    this.chats = new Chats(sql);
    this.chatQueries = new ChatQueries(sql, this.lids);
    this.contacts = new Contacts(sql, this.lids);
    this.groups = new Groups(sql);
    this.labels = new Labels(sql);
    this.calls = new Calls(sql);
    this.channels = new Channels(sql);
    this.statusPosts = new StatusPosts(sql);
    this.presences = new Presences(sql);
    this.refreshTimes = new RefreshTimes(sql);
    this.accountLimits = new AccountLimits(sql);
    this.reconnectLog = new ReconnectLog(sql);
    this.sendCounts = new SendCounts(sql);
    this.historySync = new HistorySync(sql);
    this.dedupeKeys = new DedupeKeys(sql);
  }

  /** Rows of one kind in order of creation, read on demand. `item` is null if the row has been deleted since. */
  *exported(kind: ExportKind, after: string): Generator<{ key: string; item: ExportItem | null }> {
    const { keys, read } = this.#exports[kind];
    for (let key = after; ;) {
      const rows = this.#sql.exec<{ key: string | number; id: string }>(keys, key, EXPORT_ROWS).toArray();
      for (const row of rows) {
        key = String(row.key);
        yield { key, item: read(row.id) };
      }
      if (rows.length < EXPORT_ROWS) return;
    }
  }

  get #exports(): Record<ExportKind, { keys: string; read: (id: string) => ExportItem | null }> {
    const item = <T>(record: T | null, itemOf: (record: T) => ExportItem) => (record === null ? null : itemOf(record));
    const numbered = (table: string, id: string) =>
      `SELECT no AS key, ${id} AS id FROM ${table} WHERE no > CAST(?1 AS INTEGER) ORDER BY no LIMIT ?2`;
    const named = (table: string, id: string) => `SELECT ${id} AS key, ${id} AS id FROM ${table} WHERE ${id} > ?1 ORDER BY ${id} LIMIT ?2`;
    return {
      label: { keys: named("labels", "label_id"), read: (id) => item(this.labels.get(id), (record) => ({ kind: "label", record })) },
      contact: {
        keys: numbered("contacts", "contact_id"),
        read: (id) => item(this.contacts.get(id), (record) => ({ kind: "contact", record })),
      },
      group: { keys: numbered("groups", "group_id"), read: (id) => item(this.groups.get(id), (record) => ({ kind: "group", record })) },
      channel: {
        keys: named("channels", "channel_id"),
        read: (id) => item(this.channels.get(id), (record) => ({ kind: "channel", record })),
      },
      chat: { keys: numbered("chats", "chat_id"), read: (id) => item(this.chatQueries.get(id), (record) => ({ kind: "chat", record })) },
      call: { keys: named("calls", "call_id"), read: (id) => item(this.calls.get(id, Date.now()), (record) => ({ kind: "call", record })) },
      message: {
        keys: numbered("messages", "CAST(no AS TEXT)"),
        read: (no) => item(this.messageQueries.numbered(Number(no)), (record) => ({ kind: "message", record })),
      },
    };
  }

  mergeIdentities(lid: string, phone: string): MergeResult | null {
    return this.lids.learn(lid, phone) ? mergeIdentities(this.#sql, lid, phone) : null;
  }
}
