// All stores of the number's data, one class per entity, over the tables of schema.ts.
import type { ExportItem } from "@gateway/protocol/operations/export.ts";
import { AccountLimits } from "../instance/account-limits.ts";
import { Calls } from "../calls/calls.ts";
import { Channels } from "../channels/channels.ts";
import { ChatQueries } from "../chats/chat-queries.ts";
import { Chats } from "../chats/chats.ts";
import { Contacts } from "../contacts/contacts.ts";
import { OutOfOrderEvents } from "../messages/out-of-order-events.ts";
import { Groups } from "../groups/groups.ts";
import { HistorySync } from "../history/history-sync.ts";
import { Labels } from "../labels/labels.ts";
import { Lids } from "../contacts/lids.ts";
import { MessageQueries } from "../messages/message-queries.ts";
import { Messages } from "../messages/messages.ts";
import { Presences } from "../presence/presences.ts";
import { OwnMessages } from "../messages/own-messages.ts";
import { Reactions } from "../messages/reactions.ts";
import { ReconnectLog } from "../instance/reconnect-log.ts";
import { RefreshTimes } from "./refresh-times.ts";
import { SendCounts } from "../instance/send-counts.ts";
import { StatusPosts } from "../statuses/status-posts.ts";
import { type MergeResult, mergeIdentities } from "../contacts/merge-identities.ts";
import { PollVotes } from "../messages/poll-votes.ts";

/** Rows of which an export reads the keys at once. */
const EXPORT_ROWS = 200;

export type ExportKind = Exclude<ExportItem["kind"], "instance">;

/** They cache nothing, so a rollback of the storage is a rollback of them. */
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
    this.messages = new Messages(sql);
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

  /**
   * Rows of one kind in the order in which they were made, those after this key; each is read when it is asked for. `item` null: it was
   * deleted meanwhile.
   */
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
    const item = <T>(record: T | null, of: (record: T) => ExportItem) => (record === null ? null : of(record));
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

  /** A LID's phone number became known; null when it was known already. */
  mergeIdentities(lid: string, phone: string): MergeResult | null {
    return this.lids.learn(lid, phone) ? mergeIdentities(this.#sql, lid, phone) : null;
  }
}

/** Keys of events already applied: a bridge repeats every event that was not acknowledged. */
class DedupeKeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** False when the event was applied before. `now` in Unix ms. */
  claim(key: string, now: number): boolean {
    return this.#sql.exec("INSERT OR IGNORE INTO seen (key, seen_at) VALUES (?, ?) RETURNING no", key, now).toArray().length > 0;
  }
}
