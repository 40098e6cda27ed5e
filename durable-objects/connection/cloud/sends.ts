// Messages sent through Graph: the marker before a send, Graph's id, and the statuses (docs/internals/cloud.md, "Sending").
import type { CloudStatus } from "@gateway/domain/cloud/changes.ts";
import { keyOf } from "@gateway/domain/cloud/ids.ts";
import { statusFailure } from "@gateway/domain/cloud/failures.ts";
import { bodyOf, type GraphSend } from "@gateway/domain/cloud/request.ts";
import { quotedOf, sentMessage } from "@gateway/domain/cloud/view.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, SendSettled } from "@gateway/protocol/events.ts";
import { type ChatId, chatKind, type Person, personOf } from "@gateway/protocol/ids.ts";
import { type NetworkMessage, NO_EXTRAS } from "@gateway/protocol/message.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { pendingMessageOf } from "../messages/own-sends.ts";

export type SendsDependencies = {
  sql: SqlStorage;
  open(messageId: string): SendRequest | null;
  retentionDays(): number | null;
  learnSpelling(asked: string, waId: string): void;
  doubt(now: number): void;
};

const MIN_RETENTION_DAYS = 31;
const PURGE_BATCH = 1_000;
const MAX_EARLY = 1_000;

type CloudSendRow = { message_id: string; chat_id: string | null; wamid: string | null };

export class CloudSends {
  readonly #deps: SendsDependencies;
  readonly #underway = new Set<string>();
  /** Statuses, by `wamid`, that arrived before Graph's response for their message. */
  readonly #early = new Map<string, CloudStatus[]>();
  #purgedAt = 0;

  constructor(deps: SendsDependencies) {
    this.#deps = deps;
  }

  /** Must be called in the synchronous step that starts the request. The output gate then holds the request until the mark is durable. */
  mark(request: SendRequest, now: number): void {
    this.#deps.sql.exec(
      "INSERT OR REPLACE INTO cloud_sends (message_id, chat_id, wrote_at, wamid) VALUES (?, ?, ?, NULL)",
      request.message_id,
      pendingMessageOf(request, null, 0) === null ? null : request.chat_id,
      now,
    );
    this.#underway.add(request.message_id);
    this.#purge(now);
  }

  isMarked(messageId: string): boolean {
    return this.#row("message_id", messageId) !== null;
  }

  /** Removes the mark from a message that certainly was not sent or will be retried. */
  unmark(messageId: string): void {
    this.#deps.sql.exec("DELETE FROM cloud_sends WHERE message_id = ?", messageId);
  }

  ended(messageId: string): void {
    this.#underway.delete(messageId);
    if (this.#underway.size === 0) this.#early.clear();
  }

  wamidOf(messageId: string): string | null {
    return this.#row("message_id", messageId)?.wamid ?? null;
  }

  messageIdOf(wamid: string): string | null {
    return this.#row("wamid", wamid)?.message_id ?? null;
  }

  /** Called when Graph accepted the message under this `wamid`. Returns the events for statuses that arrived before the response. */
  accepted(messageId: string, wamid: string, now: number): KeyedEvent[] {
    this.#name(messageId, wamid);
    const early = this.#early.get(wamid) ?? [];
    this.#early.delete(wamid);
    return early.flatMap((status) => this.statusEvents(status, now));
  }

  /** Returns the events for a status, or none if another app sent the message. `earlier` events of the same commit are applied first. */
  statusEvents(status: CloudStatus, now: number, earlier: readonly KeyedEvent[] = []): KeyedEvent[] {
    const row = this.#findSend(status);
    if (row === null) {
      this.#keepEarly(status);
      return [];
    }
    const isSettled = earlier.some(({ event }) => event.type === "send.settled" && event.message_id === row.message_id);
    const request = isSettled ? null : this.#deps.open(row.message_id);
    return status.status === "failed" ? this.#failed(status, row, request, now) : this.#reached(status, row, request);
  }

  /** Events for a status that proves that the network has the message, whatever Graph responded. */
  #reached(status: CloudStatus, row: CloudSendRow, request: SendRequest | null): KeyedEvent[] {
    const events = request === null ? [] : [this.#taken(status, row, request)];
    return status.status === "sent" ? events : [...events, ...statusEvent(status, row)];
  }

  #failed(status: CloudStatus, row: CloudSendRow, request: SendRequest | null, now: number): KeyedEvent[] {
    const { failure, doubted } = statusFailure(status.errors, request === null ? "send" : graphUseOf(request.content));
    if (doubted) this.#deps.doubt(now);
    if (request === null) return statusEvent(status, row, failure);
    // Reports the message as accepted first if the request is still in flight, so that the response and the status can come in any order.
    if (this.#underway.has(row.message_id) && row.chat_id !== null)
      return [this.#taken(status, row, request), ...statusEvent(status, row, failure)];
    const outcome = { kind: "refused", failure } as const;
    return [{ key: keyOfStatus(status), event: { type: "send.settled", message_id: row.message_id, outcome } }];
  }

  #taken({ recipient, chatId, timestamp }: CloudStatus, { message_id }: CloudSendRow, request: SendRequest): KeyedEvent {
    const waId = chatKind(request.chat_id) === "group" ? null : (recipient?.phone ?? null);
    const outcome = this.acknowledged(request, null, { chatId: chatId ?? request.chat_id, waId, timestamp });
    return { key: null, event: { type: "send.settled", message_id, outcome } };
  }

  /** `body` is null if an earlier instance sent the message. `waId` identifies the recipient, if it is a person. */
  acknowledged(
    request: SendRequest,
    body: GraphSend | null,
    { chatId, waId, timestamp }: { chatId: ChatId; waId: string | null; timestamp: number },
  ): Extract<SendSettled["outcome"], { kind: "acknowledged" }> {
    const asked = personOf(request.chat_id)?.phone ?? null;
    if (asked !== null && waId !== null) this.#deps.learnSpelling(asked, waId);
    const to_resolved = asked === null ? null : waId;
    return { kind: "acknowledged", timestamp, to_resolved, message: messageOf(request, body ?? withoutFiles(request), chatId, timestamp) };
  }

  /** Finds the row by `wamid`, or else by the message id in the status, unless the row with that id has another `wamid`. */
  #findSend({ wamid, messageId }: CloudStatus): CloudSendRow | null {
    const named = this.#row("wamid", wamid);
    if (named !== null || messageId === null) return named;
    const carried = this.#row("message_id", messageId);
    if (carried === null || carried.wamid !== null) return null;
    this.#name(messageId, wamid);
    return carried;
  }

  #name(messageId: string, wamid: string): void {
    this.#deps.sql.exec("UPDATE cloud_sends SET wamid = ? WHERE message_id = ?", wamid, messageId);
  }

  /** Keeps the status while the response to our send may still arrive. Otherwise, the message is from another app of the account. */
  #keepEarly(status: CloudStatus): void {
    if (this.#underway.size === 0) return;
    const early = this.#early.get(status.wamid) ?? [];
    if (early.some((one) => keyOfStatus(one) === keyOfStatus(status))) return;
    this.#early.set(status.wamid, [...early, status]);
    // Drops the oldest statuses at the limit. They have waited longer than a request takes, so their messages are from another app.
    const [oldest] = this.#early.keys();
    if (this.#early.size > MAX_EARLY && oldest !== undefined) this.#early.delete(oldest);
  }

  #row(column: "message_id" | "wamid", value: string): CloudSendRow | null {
    const rows = this.#deps.sql.exec<CloudSendRow>(`SELECT message_id, chat_id, wamid FROM cloud_sends WHERE ${column} = ?`, value);
    return rows.toArray()[0] ?? null;
  }

  #purge(now: number): void {
    const days = this.#deps.retentionDays();
    if (days === null || now - this.#purgedAt < DAY_MS) return;
    const before = now - Math.max(days, MIN_RETENTION_DAYS) * DAY_MS;
    this.#deps.sql.exec(
      "DELETE FROM cloud_sends WHERE rowid IN (SELECT rowid FROM cloud_sends WHERE wrote_at <= ? LIMIT ?)",
      before,
      PURGE_BATCH,
    );
    // A busy number writes more rows in a day than one batch deletes, so the next send deletes the next batch.
    const isDone = this.#deps.sql.exec("SELECT 1 FROM cloud_sends WHERE wrote_at <= ? LIMIT 1", before).toArray().length === 0;
    if (isDone) this.#purgedAt = now;
  }
}

export function graphUseOf({ kind }: { kind: string }): "template" | "send" {
  return kind === "template" ? "template" : "send";
}

function statusEvent(
  status: CloudStatus,
  { message_id, chat_id }: CloudSendRow,
  failure?: ReturnType<typeof statusFailure>["failure"],
): KeyedEvent[] {
  if (chat_id === null || status.status === "sent") return [];
  const { participant, timestamp } = status;
  const about = { chat_id: status.chatId ?? chat_id, message_id, status: status.status, participant, timestamp };
  return [{ key: keyOfStatus(status), event: { type: "message.status", ...about, ...(failure !== undefined && { failure }) } }];
}

/** The key contains the `wamid`, because each attempt has its own statuses, and the error, because the reason may arrive later. */
function keyOfStatus({ wamid, status, participant, errors: [error] }: CloudStatus): string {
  return keyOf("status", wamid, status, nameOf(participant), ...(error === undefined ? [] : [String(error.code)]));
}

function nameOf(person: Person | null): string {
  return person?.lid ?? person?.phone ?? "";
}

function messageOf(request: SendRequest, body: GraphSend | null, chatId: ChatId, timestamp: number): NetworkMessage {
  const message = pendingMessageOf(request, quotedOf(request), timestamp) ?? changeOf(request, timestamp);
  return body === null ? { ...message, chat_id: chatId } : sentMessage(message, body, { chatId, timestamp });
}

function changeOf({ message_id, chat_id, content }: SendRequest, timestamp: number): NetworkMessage {
  const nobody = { from_me: true, sender: null, push_name: null, media: null, raw: null };
  return { message_id, chat_id, timestamp, type: content.kind, text: null, ...nobody, ...NO_EXTRAS };
}

/** Rebuilds the request's body. Null if the message has files, because their media ids are not stored. */
function withoutFiles(request: SendRequest): GraphSend | null {
  const body = bodyOf(request, { recipient: { to: "" }, wamidOf: (messageId) => messageId, mediaId: () => "" });
  return body.ok ? body.value : null;
}
