// Notifications of new messages in browsers (docs/internals/notifications.md, "From a message to the browser").
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { checkOutgoingUrl, type UrlPolicy } from "@gateway/domain/egress/outgoing-url.ts";
import { firstCharacters } from "@gateway/domain/messages/characters.ts";
import { succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatKind } from "@gateway/protocol/ids.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { authorization, encrypted, serverKey } from "#root/src/services/push/web-push.ts";
import { type PushSubscription, removeSubscription, subscriptionsOf } from "#root/src/services/push/subscriptions.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import { egressOf } from "../delivery/outgoing.ts";
import type { HandlersOf } from "../handlers.ts";
import type { Identity } from "../instance/identity.ts";
import { BackgroundTask } from "../store/background-task.ts";
import type { Stores } from "../store/stores.ts";
import { readNumber } from "../../shared/read-number.ts";

export const NOTIFICATION_MIGRATIONS: Migrations = [
  // Sessions whose browser wants notifications for this number. With `shows_text`, notifications include the message's text.
  "CREATE TABLE notified (session TEXT PRIMARY KEY, shows_text INTEGER NOT NULL) WITHOUT ROWID",
  // For each session and chat, the newest message that the session has not been notified of.
  `CREATE TABLE notification (
     session TEXT NOT NULL, chat_id TEXT NOT NULL, message_id TEXT NOT NULL, due_at INTEGER NOT NULL, tries INTEGER NOT NULL,
     PRIMARY KEY (session, chat_id)
   ) WITHOUT ROWID`,
  // The order in which the sessions asked for notifications. Sessions from before this column come first.
  "ALTER TABLE notified ADD COLUMN no INTEGER NOT NULL DEFAULT 0",
];

const TIMEOUT_MS = 10_000;
/** How long a batch is leased while it is sent. After a crash, the batch is sent again once the lease expires. */
const LEASE_MS = MINUTE_MS;
const RETRY_AFTER_MS = [15_000, 2 * MINUTE_MS, 10 * MINUTE_MS] as const;
const TTL_SECONDS = 24 * 3_600;
const MAX_SESSIONS = 50;
const BATCH = 50;
const TEXT_CHARACTERS = 200;

const WORDS = { pt: "Nova mensagem", en: "New message" } as const;

type NotificationRow = { session: string; chat_id: ChatId; message_id: string; tries: number };

type Host = {
  env: Env;
  sql: SqlStorage;
  identity: Pick<Identity, "uuid">;
  stores: Pick<Stores, "chatQueries" | "messageQueries">;
  policy: UrlPolicy;
  connection: () => { id: number };
  times: StoredTimes;
  rearm: () => void;
};

export class Notifications implements Scheduled {
  readonly #host: Host;
  readonly #sql: SqlStorage;
  readonly #settings: ReturnType<typeof settingsOf>;
  /** Says for each session whether notifications show the text. The earliest session comes first. */
  #sessions: Map<string, boolean> | null = null;
  readonly #task: BackgroundTask;

  constructor(host: Host) {
    this.#host = host;
    this.#sql = host.sql;
    this.#settings = settingsOf(host.env);
    this.#task = new BackgroundTask({
      name: "notifications",
      pauseMs: LEASE_MS,
      times: host.times,
      onFailed: (error) => this.#failed([], error, Date.now()),
      onEnded: host.rearm,
    });
  }

  showsText(session: string): boolean | null {
    return this.#all().get(session) ?? null;
  }

  /** If `showsText` is null, the session gets no notifications. If there are too many sessions, the earliest lose their notifications. */
  set(session: string, showsText: boolean | null): void {
    this.#remove(session);
    if (showsText === null) return;
    const others = [...this.#all().keys()];
    for (const other of others.slice(0, Math.max(0, others.length + 1 - MAX_SESSIONS))) this.#remove(other);
    this.#sql.exec(
      "INSERT INTO notified (session, shows_text, no) SELECT ?, ?, coalesce(max(no), 0) + 1 FROM notified",
      session,
      Number(showsText),
    );
    this.#sessions = null;
  }

  /** Stores what to send, in the caller's transaction. Writes nothing if there are no sessions. */
  store(facts: readonly GatewayFact[], now: number): void {
    if (this.#all().size === 0) return;
    for (const { event } of facts) {
      if (event.type !== "message.received" || !["direct", "group"].includes(chatKind(event.message.chat_id))) continue;
      const { chat_id, message_id } = event.message;
      const chat = this.#host.stores.chatQueries.get(chat_id);
      if (chat !== null && (chat.archived || isMuted(chat.muted_until, now))) continue;
      for (const session of this.#all().keys())
        this.#sql.exec(
          "INSERT OR REPLACE INTO notification (session, chat_id, message_id, due_at, tries) VALUES (?, ?, ?, ?, 0)",
          session,
          chat_id,
          message_id,
          now,
        );
    }
  }

  nextDue(now: number): number | null {
    if (this.#all().size === 0) return null;
    const due = readNumber(this.#sql, "SELECT min(due_at) FROM notification");
    return due === null ? null : this.#task.notBefore(due, now);
  }

  run(now: number): void {
    if ((this.nextDue(now) ?? Infinity) <= now) this.#task.start(now, () => this.#sendAll(now));
  }

  clockSetBack(): void {
    this.#sessions = null;
  }

  async #sendAll(now: number): Promise<void> {
    const due = this.#sql
      .exec<NotificationRow>(
        `UPDATE notification SET tries = tries + 1, due_at = ?1 WHERE (session, chat_id) IN
           (SELECT session, chat_id FROM notification WHERE due_at <= ?2 ORDER BY due_at LIMIT ${BATCH})
         RETURNING session, chat_id, message_id, tries`,
        now + LEASE_MS,
        now,
      )
      .toArray();
    try {
      const { env, identity } = this.#host;
      const sessions = [...new Set(due.map(({ session }) => session))];
      const found = await subscriptionsOf(env.DB, identity.uuid, sessions, this.#settings.IDENTITY_ISSUER, now);
      const bySession = new Map(found.map((each) => [each.sessionId, each]));
      await Promise.all(
        due.map((row) => this.#send(row, bySession.get(row.session) ?? null, now).catch((error) => this.#failed([row], error, now))),
      );
    } catch (error) {
      this.#failed(due, error, now);
    }
  }

  async #send(row: NotificationRow, subscription: PushSubscription | null, now: number): Promise<void> {
    const showsText = this.showsText(row.session);
    const key = subscription === null ? null : serverKey(this.#settings.STATE_SECRET, subscription.keyId, now);
    if (subscription === null || key === null || showsText === null) return this.#remove(row.session);
    const { endpoint } = subscription;
    const shown = this.#shown(row, WORDS[subscription.language], showsText);
    if (shown === null || !checkOutgoingUrl(endpoint, this.#host.policy).ok) return this.#done(row);
    const status = await this.#post(endpoint, {
      authorization: await authorization(key, endpoint, this.#settings.APP_URL, now),
      body: encrypted(JSON.stringify(shown), subscription),
    });
    if (status === 404 || status === 410) {
      // A browser that has subscribed again keeps its notifications, and the next attempt uses the new subscription.
      if (await removeSubscription(this.#host.env.DB, subscription)) this.#remove(row.session);
      else this.#retry(row, now);
    } else if (status === null || status === 429 || status >= 500) this.#retry(row, now);
    else this.#done(row);
    if (status === null || status >= 300) log("notification.refused", { connection: this.#host.identity.uuid, status, tries: row.tries });
  }

  #failed(rows: readonly NotificationRow[], error: unknown, now: number): void {
    log("notification.failed", { connection: this.#host.identity.uuid, ...errorFields(error) });
    for (const row of rows) this.#retry(row, now);
  }

  async #post(endpoint: string, sent: { authorization: string; body: Uint8Array }): Promise<number | null> {
    const headers = {
      authorization: sent.authorization,
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(TTL_SECONDS),
      urgency: "high",
    };
    const stop = new AbortController();
    const deadline = setTimeout(() => stop.abort(), TIMEOUT_MS);
    try {
      const request = { method: "POST", redirect: "manual", headers, body: sent.body, signal: stop.signal } as const;
      const response = await egressOf(this.#host.env)(endpoint, request);
      response.body?.cancel().catch(() => undefined);
      return response.status;
    } catch {
      return null;
    } finally {
      clearTimeout(deadline);
    }
  }

  /** The notification as the service worker shows it. Null if nothing is left to show. */
  #shown({ chat_id, message_id }: NotificationRow, newMessage: string, showsText: boolean) {
    const message = this.#host.stores.messageQueries.get(message_id, chat_id);
    if (message === null || message.deleted_at !== null) return null;
    const chat = this.#host.stores.chatQueries.get(message.chat_id);
    const sender = message.push_name ?? (message.sender?.phone == null ? null : `+${message.sender.phone}`);
    const text = showsText && message.text !== null && !message.view_once ? firstCharacters(message.text, TEXT_CHARACTERS) : newMessage;
    const isGroup = chat?.kind === "group";
    const path = `/connections/${this.#host.connection().id}/chats/${encodeURIComponent(message.chat_id)}`;
    return {
      title: chat?.name ?? sender ?? newMessage,
      body: isGroup && sender !== null ? `${sender}: ${text}` : text,
      // Contains the connection's id, because a person may write to two numbers of this browser's user.
      tag: path,
      path,
    };
  }

  /** A newer message in the chat may have replaced this row by now. */
  #done({ session, chat_id, message_id }: NotificationRow): void {
    this.#sql.exec("DELETE FROM notification WHERE session = ? AND chat_id = ? AND message_id = ?", session, chat_id, message_id);
  }

  #retry(row: NotificationRow, now: number): void {
    const wait = RETRY_AFTER_MS[row.tries - 1];
    if (wait === undefined) return this.#done(row);
    const { session, chat_id, message_id } = row;
    this.#sql.exec(
      "UPDATE notification SET due_at = ? WHERE session = ? AND chat_id = ? AND message_id = ?",
      now + wait,
      session,
      chat_id,
      message_id,
    );
  }

  #remove(session: string): void {
    this.#sql.exec("DELETE FROM notified WHERE session = ?", session);
    this.#sql.exec("DELETE FROM notification WHERE session = ?", session);
    this.#sessions = null;
  }

  #all(): Map<string, boolean> {
    return (this.#sessions ??= new Map(
      this.#sql
        .exec<{ session: string; shows_text: number }>("SELECT session, shows_text FROM notified ORDER BY no")
        .toArray()
        .map(({ session, shows_text }) => [session, shows_text === 1]),
    ));
  }
}

/** `mutedUntil` is in Unix seconds; -1 means always. */
function isMuted(mutedUntil: number | null, now: number): boolean {
  return mutedUntil !== null && (mutedUntil === -1 || mutedUntil * 1_000 > now);
}

export function notificationHandlers(notifications: Notifications): HandlersOf<"notifications.get" | "notifications.set"> {
  return {
    "notifications.get": ({ session }) => succeed({ shows_text: notifications.showsText(session) }),
    "notifications.set": ({ session, shows_text }) => {
      notifications.set(session, shows_text);
      return succeed({ shows_text });
    },
  };
}
