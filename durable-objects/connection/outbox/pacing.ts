// The owner's pacing settings. They apply before a send is stored, so a refused send counts as never attempted.
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { type Block, blockOf, type PacingSettings, type ReachFacts, reachabilityOf } from "@gateway/domain/messages/reachability.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import type { Reachability } from "@gateway/protocol/operations/reachability.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";
import { LIMITS_MAX_AGE_MS, type StoredLimits } from "../instance/account-limits.ts";
import type { Identity } from "../instance/identity.ts";
import type { Instance } from "../instance/instance.ts";
import type { Stores } from "../store/stores.ts";
import type { OutboxRows } from "./outbox-rows.ts";

export const PACING_MIGRATIONS: Migrations = [
  // Chats started by this number within the last hour, stored if its owner limits new chats. Times in Unix ms.
  "CREATE TABLE chat_start (chat_id TEXT PRIMARY KEY, at INTEGER NOT NULL)",
  // One row per send, so that a failed send deletes only its own row.
  `DROP TABLE chat_start;
   CREATE TABLE chat_start (
     chat_id TEXT NOT NULL, message_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (chat_id, message_id)
   ) WITHOUT ROWID`,
];

type Dependencies = {
  sql: SqlStorage;
  rows: Pick<OutboxRows, "lastDispatchedAt">;
  identity: Pick<Identity, "kind" | "settings">;
  instance: Pick<Instance, "state">;
  stores: Pick<Stores, "accountLimits" | "chats" | "messages">;
  /** Called when a new chat stops counting against the limits, because its message was never sent. */
  onReleased: () => void;
};

/** `later` means that the message may be sent at `at` (Unix ms, or null if unknown). `ofAll` means that `at` applies to all chats. */
export type Claim = { kind: "claimed" } | { kind: "later"; at: number | null; ofAll: boolean } | { kind: "refused"; failure: Failure };

type ChatStart = Pick<SendRequest, "chat_id" | "message_id">;

const MAX_WAIT_MS = 30_000;

export class Pacing {
  readonly #sql: SqlStorage;
  readonly #deps: Dependencies;
  #lastSendAt: number | null | undefined;

  constructor(deps: Dependencies) {
    this.#sql = deps.sql;
    this.#deps = deps;
  }

  /** Calls `send` once pacing allows it, or `blocked` if a rule forbids the message. Fails with `rate_limited` if the wait is too long. */
  async paced<T>(
    request: SendRequest,
    now: number,
    { send, blocked }: { send: () => Promise<Outcome<T>>; blocked: (block: Block) => Outcome<T> | Promise<Outcome<T>> },
  ): Promise<Outcome<T>> {
    const blockAt = (at: number) => this.blockFor(request.chat_id, request.content.kind === "template", at);
    const block = blockAt(now);
    if (block !== null) return blocked(block);
    this.#countChatStart(request, now);
    const waitMs = this.#reserve(now);
    if (waitMs > MAX_WAIT_MS) {
      this.#releaseChatStart(request);
      return fail("rate_limited", { retryAfter: retryAfterSeconds(waitMs - MAX_WAIT_MS) });
    }
    if (waitMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      // WhatsApp may have restricted the number meanwhile, and each further attempt would count against it.
      const newBlock = blockAt(Date.now());
      if (newBlock !== null) {
        this.#releaseChatStart(request);
        return blocked(newBlock);
      }
    }
    const outcome = await send();
    this.ended(request, outcome);
    return outcome;
  }

  get settings(): PacingSettings {
    return this.#deps.identity.settings.pacing;
  }

  /** True if the owner chose to respect WhatsApp's quota for a message to this chat. */
  guardsStartOf(chatId: ChatId): boolean {
    return this.settings.first_contacts !== "send" && this.#startsChat(chatId);
  }

  /** Like `guardsStartOf`, for a waiting send. Also true when WhatsApp has reported that the quota is used up. */
  guardsWaiting(chatId: ChatId): boolean {
    return (this.settings.first_contacts !== "send" || this.#isCapped()) && this.#startsChat(chatId);
  }

  /** `exists` says whether the network knows the person, and is null if the network was not asked. */
  reachability(chatId: ChatId, exists: boolean | null, now: number): Reachability {
    return reachabilityOf(this.#facts(chatId, exists, now), this.#deps.instance.state.status, now);
  }

  /** Returns why a message to this chat must not be sent now, or null if it may be. */
  blockFor(chatId: ChatId, isTemplate: boolean, now: number): Block | null {
    return this.#blockFor(chatId, isTemplate, this.settings.first_contacts, now);
  }

  /** Like `blockFor`, for a waiting send. Ignores the service window, which Meta checks. A quota reported as used up also blocks. */
  blockOfWaiting(chatId: ChatId, now: number): Block | null {
    const { first_contacts } = this.settings;
    return this.#blockFor(chatId, true, first_contacts === "send" && this.#isCapped() ? "hold" : first_contacts, now);
  }

  #blockFor(chatId: ChatId, isTemplate: boolean, policy: PacingSettings["first_contacts"], now: number): Block | null {
    const { new_chats_per_hour, reply_only } = this.settings;
    if (chatKind(chatId) !== "direct") return null;
    const isUnlimited = policy === "send" && new_chats_per_hour === null && this.#deps.instance.state.restriction === null;
    if (!reply_only && (isUnlimited || this.#isKnown(chatId))) return null;
    return blockOf(this.#facts(chatId, null, now), policy, isTemplate, now);
  }

  #isCapped(): boolean {
    return this.#limits()?.newChatQuota?.status === "capped";
  }

  /** The last known limits, or null for a number without a quota. */
  #limits(): StoredLimits | null {
    return this.#deps.identity.kind === "session" ? this.#deps.stores.accountLimits.get() : null;
  }

  /** When the number's limits can be requested again, at the earliest in a minute (Unix ms). */
  #limitsOutdatedAt(now: number): number {
    return Math.max(now + MINUTE_MS, (this.#limits()?.checkedAt ?? 0) + LIMITS_MAX_AGE_MS);
  }

  #startsChat(chatId: ChatId): boolean {
    return chatKind(chatId) === "direct" && !this.#isKnown(chatId);
  }

  #isKnown(chatId: ChatId): boolean {
    return this.#deps.stores.chats.isKnown(chatId);
  }

  /** Claims the right to send now, for a send that can be retried later. Unlike `paced`, this function does not wait. */
  claim(start: ChatStart, now: number): Claim {
    const block = this.blockOfWaiting(start.chat_id, now);
    if (block !== null) {
      if (!block.canWait) return { kind: "refused", failure: block.failure };
      const at = block.until ?? (block.why === "new_chat_quota" ? this.#limitsOutdatedAt(now) : null);
      return { kind: "later", at, ofAll: false };
    }
    this.#countChatStart(start, now);
    const sendAt = this.#nextSlot(now);
    if (sendAt > now) {
      this.#dropChatStart(start);
      return { kind: "later", at: sendAt, ofAll: true };
    }
    this.#lastSendAt = now;
    return { kind: "claimed" };
  }

  /** Counts a new chat against the limits. Synchronous, so that concurrent sends count too. */
  #countChatStart({ chat_id: chatId, message_id: messageId }: ChatStart, now: number): void {
    const { first_contacts, new_chats_per_hour } = this.settings;
    const isCounted = new_chats_per_hour !== null || first_contacts !== "send";
    if (!isCounted || !this.#startsChat(chatId)) return;
    this.#sql.exec("DELETE FROM chat_start WHERE at <= ? OR at > ?", now - HOUR_MS, now);
    this.#sql.exec("INSERT OR IGNORE INTO chat_start (chat_id, message_id, at) VALUES (?, ?, ?)", chatId, messageId, now);
  }

  /** Stops counting the new chat against the limits, unless its message may have been sent. */
  ended(start: ChatStart, outcome: Outcome<unknown>): void {
    if (!outcome.ok && outcome.failure.code !== "send_outcome_unknown") this.#releaseChatStart(start);
  }

  #releaseChatStart(start: ChatStart): void {
    if (this.#dropChatStart(start)) this.#deps.onReleased();
  }

  #dropChatStart({ chat_id: chatId, message_id: messageId }: ChatStart): boolean {
    if (this.#isKnown(chatId)) return false;
    return this.#sql.exec("DELETE FROM chat_start WHERE chat_id = ? AND message_id = ?", chatId, messageId).rowsWritten > 0;
  }

  #facts(chatId: ChatId, exists: boolean | null, now: number): ReachFacts {
    const { identity, instance, stores } = this.#deps;
    const limits = this.#limits();
    const [lastInbound] = stores.messages.lastReceived(chatId, 1);
    const quota = limits?.newChatQuota ?? null;
    const checkedAt = limits?.checkedAt ?? 0;
    const { started, firstAt, mine, since } = this.#sql
      .exec<{ started: number; firstAt: number | null; mine: number; since: number }>(
        `SELECT count(*) AS started, min(at) AS firstAt, count(*) FILTER (WHERE chat_id = ?) AS mine, count(*) FILTER (WHERE at >= ?) AS since
         FROM (SELECT chat_id, min(at) AS at FROM chat_start GROUP BY chat_id) WHERE at > ? AND at <= ?`,
        chatId,
        checkedAt,
        now - HOUR_MS,
        now,
      )
      .one();
    return {
      isConnected: instance.state.status === "connected",
      exists,
      isKnown: this.#isKnown(chatId),
      isStarting: mine > 0,
      lastInboundAt: lastInbound === undefined ? null : lastInbound.timestamp * 1000,
      restriction: instance.state.restriction,
      quota: quota === null ? null : { limits: quota, checkedAt, started: since },
      hour: { started, firstAt },
      settings: this.settings,
      hasWindow: identity.kind === "cloud_api",
    };
  }

  /** Reserves a time for the send, and returns the ms until then. Reserves nothing if the wait would be too long. */
  #reserve(now: number): number {
    const sendAt = this.#nextSlot(now);
    if (sendAt - now <= MAX_WAIT_MS) this.#lastSendAt = sendAt;
    return sendAt - now;
  }

  #nextSlot(now: number): number {
    const gap = this.settings.min_gap_ms;
    if (gap === 0) return now;
    this.#lastSendAt ??= this.#deps.rows.lastDispatchedAt();
    // Ignores a time that is too far ahead, because it was reserved before the clock was set back.
    const last = this.#lastSendAt !== null && this.#lastSendAt - now <= MAX_WAIT_MS ? this.#lastSendAt : null;
    return last === null ? now : Math.max(now, last + gap);
  }
}
