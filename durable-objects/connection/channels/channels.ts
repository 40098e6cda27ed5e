// The number's channels. The network cannot list them, so only reported channels are known.
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { StoredMedia } from "@gateway/protocol/message.ts";
import { ChannelRecord } from "@gateway/protocol/records.ts";
import { firstOf } from "../store/pagination.ts";

export const CHANNEL_SCHEMA = `
  CREATE TABLE channels (
    channel_id TEXT PRIMARY KEY, name TEXT, description TEXT, invite_link TEXT, role TEXT NOT NULL DEFAULT 'guest',
    subscribers INTEGER, verified INTEGER NOT NULL DEFAULT 0, muted INTEGER NOT NULL DEFAULT 0, picture TEXT, created_at INTEGER
  ) WITHOUT ROWID;`;

export type ChannelChange = Omit<Extract<NetworkEvent, { type: "channel.updated" }>, "type">;
export type ChannelRole = ChannelRecord["role"];

type ChannelRow = {
  channel_id: string;
  name: string | null;
  description: string | null;
  invite_link: string | null;
  role: string;
  subscribers: number | null;
  verified: number;
  muted: number;
  picture: string | null;
  created_at: number | null;
};

export class Channels {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  change(change: ChannelChange): void {
    const given = (value: unknown): number => (value === undefined ? 0 : 1);
    const flag = (value: boolean | undefined): number | null => (value === undefined ? null : Number(value));
    this.#sql.exec("INSERT OR IGNORE INTO channels (channel_id) VALUES (?)", change.channel_id);
    this.#sql.exec(
      `UPDATE channels SET name = COALESCE(?2, name), description = CASE WHEN ?3 THEN ?4 ELSE description END,
         invite_link = CASE WHEN ?5 THEN ?6 ELSE invite_link END, role = COALESCE(?7, role),
         subscribers = CASE WHEN ?8 THEN ?9 ELSE subscribers END, verified = COALESCE(?10, verified), muted = COALESCE(?11, muted),
         created_at = CASE WHEN ?12 THEN ?13 ELSE created_at END WHERE channel_id = ?1`,
      change.channel_id,
      change.name ?? null,
      given(change.description),
      change.description ?? null,
      given(change.invite_link),
      change.invite_link ?? null,
      change.role ?? null,
      given(change.subscribers),
      change.subscribers ?? null,
      flag(change.verified),
      flag(change.muted),
      given(change.created_at),
      change.created_at ?? null,
    );
  }

  remove(channelId: ChatId): void {
    this.#sql.exec("DELETE FROM channels WHERE channel_id = ?", channelId);
  }

  setPicture(channelId: ChatId, picture: StoredMedia | null): void {
    this.#sql.exec("UPDATE channels SET picture = ? WHERE channel_id = ?", picture === null ? null : JSON.stringify(picture), channelId);
  }

  get(channelId: ChatId): ChannelRecord | null {
    const row = this.#sql.exec<ChannelRow>("SELECT * FROM channels WHERE channel_id = ?", channelId).toArray()[0];
    return row === undefined ? null : channelRecordOf(row);
  }

  list(role: ChannelRole | null, limit: number): ChannelRecord[] {
    const rows = this.#sql.exec<ChannelRow>(
      "SELECT * FROM channels WHERE ?1 IS NULL OR role = ?1 ORDER BY lower(COALESCE(name, '')), channel_id LIMIT ?2",
      role,
      limit,
    );
    return firstOf(rows, limit).shown.map(channelRecordOf);
  }
}

function channelRecordOf({ verified, muted, picture, created_at, ...row }: ChannelRow): ChannelRecord {
  return ChannelRecord.parse({
    ...row,
    verified: verified === 1,
    muted: muted === 1,
    picture: picture === null ? null : StoredMedia.parse(JSON.parse(picture)),
    created_at: created_at === null ? null : created_at * 1000,
  });
}
