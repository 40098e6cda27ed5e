// Everything the object remembers of its number, one class per thing, over the same tables (schema.ts).
import { AccountLimits } from "./account-limits.ts";
import { Calls } from "./calls.ts";
import { Channels } from "./channels.ts";
import { ChatReads } from "./chat-reads.ts";
import { Chats } from "./chats.ts";
import { Contacts } from "./contacts.ts";
import { Early } from "./early.ts";
import { Groups } from "./groups.ts";
import { HistorySync } from "./history-sync.ts";
import { Labels } from "./labels.ts";
import { Lids } from "./lids.ts";
import { MessageReads } from "./message-reads.ts";
import { Messages } from "./messages.ts";
import { Presences } from "./presences.ts";
import { Progress } from "./progress.ts";
import { Reactions } from "./reactions.ts";
import { Reconnects } from "./reconnects.ts";
import { Refreshes } from "./refreshes.ts";
import { SendCounts } from "./send-counts.ts";
import { SeenKeys } from "./seen.ts";
import { StatusPosts } from "./status-posts.ts";
import { type United, unite } from "./uniting.ts";
import { Votes } from "./votes.ts";

/** They keep nothing in memory: whatever is rolled back in storage is rolled back here. */
export class Stores {
  readonly messages: Messages;
  readonly messageReads: MessageReads;
  readonly progress: Progress;
  readonly reactions: Reactions;
  readonly votes: Votes;
  readonly early: Early;
  readonly chats: Chats;
  readonly chatReads: ChatReads;
  readonly contacts: Contacts;
  readonly lids: Lids;
  readonly groups: Groups;
  readonly labels: Labels;
  readonly calls: Calls;
  readonly channels: Channels;
  readonly statusPosts: StatusPosts;
  readonly presences: Presences;
  readonly refreshes: Refreshes;
  readonly accountLimits: AccountLimits;
  readonly reconnects: Reconnects;
  readonly sendCounts: SendCounts;
  readonly historySync: HistorySync;
  readonly seen: SeenKeys;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.lids = new Lids(sql);
    this.messages = new Messages(sql);
    this.progress = new Progress(sql);
    this.messageReads = new MessageReads(sql, this.lids, this.progress);
    this.reactions = new Reactions(sql);
    this.votes = new Votes(sql);
    this.early = new Early(sql);
    this.chats = new Chats(sql);
    this.chatReads = new ChatReads(sql, this.lids);
    this.contacts = new Contacts(sql, this.lids);
    this.groups = new Groups(sql);
    this.labels = new Labels(sql);
    this.calls = new Calls(sql);
    this.channels = new Channels(sql);
    this.statusPosts = new StatusPosts(sql);
    this.presences = new Presences(sql);
    this.refreshes = new Refreshes(sql);
    this.accountLimits = new AccountLimits(sql);
    this.reconnects = new Reconnects(sql);
    this.sendCounts = new SendCounts(sql);
    this.historySync = new HistorySync(sql);
    this.seen = new SeenKeys(sql);
  }

  /** A LID's phone became known; null when that was known already. */
  unite(lid: string, phone: string): United | null {
    return this.lids.learn(lid, phone) ? unite(this.#sql, lid, phone) : null;
  }
}
