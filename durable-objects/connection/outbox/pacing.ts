// The pace that the owner of a connection has set for its sends (docs/apis.md, "Settings and pacing"). It is kept here, before a send is
// stored: what is refused was not tried.
import { retryAfterSeconds } from "../../../src/domain/admission/sliding-window.ts";
import { fail, type Failure, type Outcome } from "../../../src/protocol/failures.ts";
import { type ChatId, chatKind } from "../../../src/protocol/ids.ts";
import type { InstanceSettings } from "../../../src/protocol/instance-settings.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

export type Pace = InstanceSettings["pacing"];

/** What is known of chats. */
export type Acquaintance = {
  /** There has been something between this number and the chat. */
  isKnown(chatId: ChatId): boolean;
  hasWritten(chatId: ChatId): boolean;
};

/** A send waits so long for its turn; what would have to wait longer is told when to come back. */
const PATIENCE_MS = 30_000;

export class Pacing {
  readonly #sql: SqlStorage;
  readonly #pace: () => Pace;
  readonly #known: Acquaintance;
  /** Unix ms of the last turn that was given; undefined: not read yet. */
  #lastTurn: number | null | undefined;

  constructor(sql: SqlStorage, pace: () => Pace, known: Acquaintance) {
    this.#sql = sql;
    this.#pace = pace;
    this.#known = known;
  }

  /** Has `send` carried out when it is this send's turn. Fails `new_chat_refused`, `rate_limited`. `now` in Unix ms. */
  async inTurn<T>(chatId: ChatId, now: number, send: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const pace = this.#pace();
    const refused = this.#startChat(chatId, pace, now);
    if (refused !== null) return fail(refused);
    const waitMs = this.#takeTurn(pace, now);
    if (waitMs > PATIENCE_MS) {
      this.#endStart(chatId);
      return fail("rate_limited", { retryAfter: retryAfterSeconds(waitMs - PATIENCE_MS) });
    }
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const outcome = await send();
    if (!outcome.ok && outcome.failure.code !== "send_outcome_unknown") this.#endStart(chatId);
    return outcome;
  }

  /** Claims the start of a chat that is new (claim before you await: sends at the same time count too). */
  #startChat(chatId: ChatId, { new_chats_per_hour: most, reply_only }: Pace, now: number): Failure | null {
    if (chatKind(chatId) !== "direct") return null;
    if (reply_only && !this.#known.hasWritten(chatId)) return { code: "new_chat_refused" };
    if (most === null || this.#known.isKnown(chatId)) return null;
    this.#sql.exec("DELETE FROM chat_start WHERE at <= ?", now - HOUR_MS);
    const { count, first, mine } = this.#sql
      .exec<{ count: number; first: number | null; mine: number }>(
        "SELECT count(*) AS count, min(at) AS first, count(*) FILTER (WHERE chat_id = ?) AS mine FROM chat_start",
        chatId,
      )
      .one();
    if (mine > 0) return null;
    if (count >= most) return { code: "rate_limited", retryAfter: retryAfterSeconds((first ?? now) + HOUR_MS - now) };
    this.#sql.exec("INSERT INTO chat_start (chat_id, at) VALUES (?, ?)", chatId, now);
    return null;
  }

  /** It certainly did not go: nobody has been written to. */
  #endStart(chatId: ChatId): void {
    if (!this.#known.isKnown(chatId)) this.#sql.exec("DELETE FROM chat_start WHERE chat_id = ?", chatId);
  }

  /** Milliseconds to wait for the turn; one that is too far away is not taken. */
  #takeTurn({ min_gap_ms: gap }: Pace, now: number): number {
    if (gap === 0) {
      this.#lastTurn = now;
      return 0;
    }
    this.#lastTurn ??= this.#sql.exec<{ last: number | null }>("SELECT max(asked_at) AS last FROM outbox").one().last;
    const turn = this.#lastTurn === null ? now : Math.max(now, this.#lastTurn + gap);
    if (turn - now <= PATIENCE_MS) this.#lastTurn = turn;
    return turn - now;
  }
}
