import * as z from "zod";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { parseDetails } from "./message-record.ts";
import { mergeByPerson, personIn, phoneOf, personKey } from "../contacts/lids.ts";

export const VOTE_SCHEMA = `
  CREATE TABLE votes (
    chat_id TEXT NOT NULL, message_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT,
    options TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (chat_id, message_id, who)
  ) WITHOUT ROWID;`;

/** A null among the `voters` means the number itself. */
export type OptionVotes = { option: string; votes: number; voters: (Person | null)[] };

type VoteRow = { phone: string | null; lid: string | null; options: string; timestamp: number };
const Options = z.array(z.string());

export class PollVotes {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `by` is null for the number itself. Empty `options` withdraw the vote. False if a newer vote was kept. `timestamp` in Unix seconds. */
  put(chatId: ChatId, messageId: string, by: Person | null, options: readonly string[], timestamp: number): boolean {
    const stored = this.#sql.exec(
      `INSERT INTO votes (chat_id, message_id, who, phone, lid, options, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, message_id, who) DO UPDATE SET options = excluded.options, timestamp = excluded.timestamp
       WHERE excluded.timestamp >= timestamp RETURNING 1`,
      chatId,
      messageId,
      personKey(by),
      by?.phone ?? null,
      by?.lid ?? null,
      JSON.stringify(options),
      timestamp,
    );
    return stored.toArray().length > 0;
  }

  /** Votes in the order of the poll's options. Null if the message is not stored or not a poll. */
  tally(chatId: ChatId, messageId: string): OptionVotes[] | null {
    const row = this.#sql
      .exec<{ details: string | null }>("SELECT details FROM messages WHERE message_id = ? AND chat_id = ? LIMIT 1", messageId, chatId)
      .toArray()[0];
    const poll = parseDetails(row?.details ?? null).poll;
    if (poll === null) return null;
    const rows = this.#sql
      .exec<VoteRow>(
        `SELECT ${phoneOf("v")} AS phone, v.lid, v.options, v.timestamp FROM votes v WHERE v.chat_id = ? AND v.message_id = ? ORDER BY v.timestamp, v.who`,
        chatId,
        messageId,
      )
      .toArray();
    const latest = mergeByPerson(rows, (first, second) => (second.timestamp >= first.timestamp ? second : first));
    const choices = latest.map((row) => ({
      voter: personIn(row.phone, row.lid),
      options: new Set(Options.parse(JSON.parse(row.options))),
    }));
    return poll.options.map((option) => {
      const voters = choices.filter((choice) => choice.options.has(option)).map((choice) => choice.voter);
      return { option, votes: voters.length, voters };
    });
  }

  isOwnPoll(chatId: ChatId, messageId: string): boolean {
    const query = "SELECT 1 FROM messages WHERE message_id = ? AND chat_id = ? AND from_me = 1";
    return this.#sql.exec(query, messageId, chatId).toArray().length > 0;
  }
}
