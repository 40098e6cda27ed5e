// The owner's pacing settings. Applied before a send is stored, so a refused send counts as not attempted.
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";

export const PACING_MIGRATIONS: Migrations = [
  // Chats started by this number within the last hour, stored if its owner limits new chats. Times in Unix ms.
  "CREATE TABLE chat_start (chat_id TEXT PRIMARY KEY, at INTEGER NOT NULL)",
];

export type PacingSettings = InstanceSettings["pacing"];

export type ChatKnowledge = {
  isKnown(chatId: ChatId): boolean;
  hasWritten(chatId: ChatId): boolean;
};

/** `later`: the message may be sent at `at` (Unix ms). `ofAll`: this time applies to all chats. */
export type Claim = { kind: "claimed" } | { kind: "later"; at: number; ofAll: boolean } | { kind: "refused"; failure: Failure };

const MAX_WAIT_MS = 30_000;

export class Pacing {
  readonly #sql: SqlStorage;
  readonly #settings: () => PacingSettings;
  readonly #chats: ChatKnowledge;
  #lastSendAt: number | null | undefined;

  constructor(sql: SqlStorage, settings: () => PacingSettings, chats: ChatKnowledge) {
    this.#sql = sql;
    this.#settings = settings;
    this.#chats = chats;
  }

  /** Calls `send` once pacing allows it. Fails with `new_chat_refused` or `rate_limited`. `now` in Unix ms. */
  async paced<T>(chatId: ChatId, now: number, send: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const settings = this.#settings();
    const refused = this.#claimChatStart(chatId, settings, now);
    if (refused !== null) return fail(refused);
    const waitMs = this.#reserve(settings, now);
    if (waitMs > MAX_WAIT_MS) {
      this.releaseChatStart(chatId);
      return fail("rate_limited", { retryAfter: retryAfterSeconds(waitMs - MAX_WAIT_MS) });
    }
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const outcome = await send();
    if (!outcome.ok && outcome.failure.code !== "send_outcome_unknown") this.releaseChatStart(chatId);
    return outcome;
  }

  get settings(): PacingSettings {
    return this.#settings();
  }

  /** Claims the right to send now, for a send that can be retried later. Unlike `paced`, does not wait. */
  claim(chatId: ChatId, now: number): Claim {
    const settings = this.#settings();
    const refused = this.#claimChatStart(chatId, settings, now);
    if (refused !== null) {
      if (refused.retryAfter === undefined) return { kind: "refused", failure: refused };
      return { kind: "later", at: now + refused.retryAfter * 1000, ofAll: false };
    }
    const sendAt = this.#nextSlot(settings, now);
    if (sendAt > now) {
      this.releaseChatStart(chatId);
      return { kind: "later", at: sendAt, ofAll: true };
    }
    this.#lastSendAt = now;
    return { kind: "claimed" };
  }

  /** Counts a new chat against the hourly limit. Synchronous, so that concurrent sends count too. */
  #claimChatStart(chatId: ChatId, { new_chats_per_hour: max, reply_only }: PacingSettings, now: number): Failure | null {
    if (chatKind(chatId) !== "direct") return null;
    if (reply_only && !this.#chats.hasWritten(chatId)) return { code: "new_chat_refused" };
    if (max === null || this.#chats.isKnown(chatId)) return null;
    this.#sql.exec("DELETE FROM chat_start WHERE at <= ? OR at > ?", now - HOUR_MS, now);
    const { count, first, mine } = this.#sql
      .exec<{ count: number; first: number | null; mine: number }>(
        "SELECT count(*) AS count, min(at) AS first, count(*) FILTER (WHERE chat_id = ?) AS mine FROM chat_start",
        chatId,
      )
      .one();
    if (mine > 0) return null;
    if (count >= max) return { code: "rate_limited", retryAfter: retryAfterSeconds((first ?? now) + HOUR_MS - now) };
    this.#sql.exec("INSERT INTO chat_start (chat_id, at) VALUES (?, ?)", chatId, now);
    return null;
  }

  releaseChatStart(chatId: ChatId): void {
    if (!this.#chats.isKnown(chatId)) this.#sql.exec("DELETE FROM chat_start WHERE chat_id = ?", chatId);
  }

  /** Reserves a time for the send and returns the ms until then; reserves nothing beyond the longest wait. */
  #reserve({ min_gap_ms: gap }: PacingSettings, now: number): number {
    if (gap === 0) {
      this.#lastSendAt = now;
      return 0;
    }
    const sendAt = this.#nextSlot({ min_gap_ms: gap }, now);
    if (sendAt - now <= MAX_WAIT_MS) this.#lastSendAt = sendAt;
    return sendAt - now;
  }

  #nextSlot({ min_gap_ms: gap }: Pick<PacingSettings, "min_gap_ms">, now: number): number {
    if (gap === 0) return now;
    this.#lastSendAt ??= this.#sql.exec<{ last: number | null }>("SELECT max(asked_at) AS last FROM outbox").one().last;
    // Ignores a time too far ahead: it was reserved before the clock was set back.
    const last = this.#lastSendAt !== null && this.#lastSendAt - now <= MAX_WAIT_MS ? this.#lastSendAt : null;
    return last === null ? now : Math.max(now, last + gap);
  }
}
