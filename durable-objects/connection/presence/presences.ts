// Presence in chats that the customer subscribed to (docs/use/apis.md, "Groups, contacts, labels, channels").
import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import { type PresenceRecord, OwnPresence } from "@gateway/protocol/records.ts";
import { phoneOf, personKey } from "../contacts/lids.ts";
import { countRows } from "../../shared/read-number.ts";

// `own_presence` is the number's own presence as set by the customer.
export const PRESENCE_SCHEMA = `
  CREATE TABLE presence_subscriptions (chat_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE presences (
    chat_id TEXT NOT NULL, who TEXT NOT NULL, phone TEXT, lid TEXT, presence TEXT NOT NULL, last_seen INTEGER, updated_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, who)
  ) WITHOUT ROWID;
  CREATE TABLE own_presence (one INTEGER PRIMARY KEY CHECK (one = 1), presence TEXT NOT NULL);`;

export type PresenceReport = Omit<Extract<NetworkEvent, { type: "presence" }>, "type">;

const Row = z.object({
  phone: z.string().nullable(),
  lid: z.string().nullable(),
  presence: z.enum(["online", "offline", "typing", "paused", "recording"]),
  last_seen: z.number().nullable(),
  updated_at: z.number(),
});

export class Presences {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Idempotent. Returns `full` if the number is already subscribed to 500 chats. */
  subscribe(chatId: ChatId): "subscribed" | "full" {
    if (this.isSubscribed(chatId)) return "subscribed";
    if (countRows(this.#sql, "presence_subscriptions") >= LIMITS.presenceSubscriptions) return "full";
    this.#sql.exec("INSERT INTO presence_subscriptions (chat_id) VALUES (?)", chatId);
    return "subscribed";
  }

  unsubscribe(chatId: ChatId): void {
    this.#sql.exec("DELETE FROM presence_subscriptions WHERE chat_id = ?", chatId);
    this.#sql.exec("DELETE FROM presences WHERE chat_id = ?", chatId);
  }

  isSubscribed(chatId: ChatId): boolean {
    return this.#sql.exec("SELECT 1 FROM presence_subscriptions WHERE chat_id = ?", chatId).toArray().length > 0;
  }

  /** The network drops the subscriptions when a socket closes, so each session subscribes again. */
  subscriptions(): ChatId[] {
    return this.#sql
      .exec<{ chat_id: string }>("SELECT chat_id FROM presence_subscriptions ORDER BY chat_id")
      .toArray()
      .map((row) => row.chat_id);
  }

  /** Stores a report. Returns false if the chat has no subscription. `now` is in Unix ms. */
  record({ chat_id, person, presence, last_seen }: PresenceReport, now: number): boolean {
    if (!this.isSubscribed(chat_id)) return false;
    this.#sql.exec(
      `INSERT INTO presences (chat_id, who, phone, lid, presence, last_seen, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (chat_id, who) DO UPDATE SET presence = excluded.presence, last_seen = COALESCE(excluded.last_seen, last_seen),
         updated_at = excluded.updated_at`,
      chat_id,
      personKey(person),
      person.phone,
      person.lid,
      presence,
      last_seen,
      now,
    );
    return true;
  }

  own(): OwnPresence | null {
    const row = this.#sql.exec<{ presence: string }>("SELECT presence FROM own_presence").toArray()[0];
    return row === undefined ? null : OwnPresence.parse(row.presence);
  }

  setOwn(presence: OwnPresence): void {
    this.#sql.exec("INSERT OR REPLACE INTO own_presence (one, presence) VALUES (1, ?)", presence);
  }

  get(chatId: ChatId): PresenceRecord {
    const rows = this.#sql
      .exec(
        `SELECT ${phoneOf("p")} AS phone, p.lid, p.presence, p.last_seen, p.updated_at FROM presences p WHERE p.chat_id = ? ORDER BY p.updated_at DESC`,
        chatId,
      )
      .toArray()
      .map((row) => Row.parse(row))
      // Shows a person who stopped typing as online (docs/use/apis.md, "Groups, contacts, labels, channels").
      .map((row) => ({ ...row, presence: row.presence === "paused" ? ("online" as const) : row.presence }));
    const newest = rows[0];
    const isGroup = chatKind(chatId) === "group";
    return {
      chat_id: chatId,
      presence: newest === undefined || isGroup ? "unknown" : newest.presence,
      last_seen: isGroup ? null : (newest?.last_seen ?? null),
      participants: isGroup ? rows.map(({ phone, lid, presence }) => ({ person: { phone, lid }, presence })) : [],
      updated_at: newest?.updated_at ?? null,
      subscribed: this.isSubscribed(chatId),
    };
  }
}
