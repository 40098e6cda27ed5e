// Operations on waiting sends, and acceptance of new ones.
import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { type SendWindow, sendWindowOf } from "@gateway/domain/messages/send-window.ts";
import { mediaStoredUntil } from "@gateway/domain/media/media-link.ts";
import type { MediaRef, SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome, type Replayable, succeed } from "@gateway/protocol/failures.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { WaitingRecord } from "@gateway/protocol/operations/waiting.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { HandlersOf } from "../handlers.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { freshRecord } from "../messages/message-record.ts";
import { pendingMessageOf } from "../messages/own-sends.ts";
import type { SendDetails, SendResult } from "../outbox/rows.ts";
import { pageOf, startOf } from "../store/pagination.ts";
import { sendOf, type WaitingSend } from "./rows.ts";

export function waitingOperations(deps: MessageDependencies): HandlersOf<"waiting.list" | "waiting.change" | "waiting.cancel"> {
  const { waiting } = deps;
  const { rows } = waiting;
  return {
    "waiting.list": ({ chat_id: chatId, limit, cursor }, { now }) => {
      const start = startOf(cursor, [0, 0, ""]);
      if (!start.ok) return start;
      const chats = chatId === null ? null : deps.stores.lids.chatIds(chatId);
      const found = rows.list(start.value, chats, limit + 1);
      return succeed(
        pageOf(
          found,
          limit,
          (row) => [row.at, row.accepted_at, row.message_id],
          (row) => waitingRecordOf(deps, sendOf(row), now),
        ),
      );
    },

    "waiting.change": ({ message_id: id, at, until, text }, { now }) => {
      const known = rows.find(id);
      if (known === null) return fail(isUnderWay(deps, id) ? "message_under_way" : "message_not_found");
      const times = changedTimes(known, { at, until }, now);
      if (!times.ok) return times;
      const storedUntil = Math.min(...filesIn(known.request).map(({ token }) => mediaStoredUntil(token)));
      if (times.value.until > storedUntil) return invalidField(at === undefined ? "until" : "at", "file_gone");
      const content = text === undefined ? succeed(known.request.content) : withText(known.request.content, text);
      if (!content.ok) return content;
      const send = { ...known, ...times.value, request: { ...known.request, content: content.value } };
      rows.put(send);
      waiting.changed();
      return succeed(waitingRecordOf(deps, send, now));
    },

    "waiting.cancel": ({ message_id: id, chat_id: chatId }) => {
      const chats = chatId === null ? null : deps.stores.lids.chatIds(chatId);
      const found = (id === null ? rows.ids(chats) : [id]).map((each) => rows.find(each)).filter((send) => send !== null);
      for (const { request } of found) {
        rows.remove(request.message_id);
        deps.removedFiles.add(filesIn(request).map(({ token }) => token));
      }
      if (found.length > 0) waiting.changed();
      return succeed({ count: found.length });
    },
  };
}

/** The answer for a send that was accepted before under this id, or null. */
export function earlierSend(
  deps: Pick<MessageDependencies, "outbox" | "waiting">,
  id: string,
  content: string | null,
  now: number,
): Replayable<SendResult> | Promise<Replayable<SendResult>> | null {
  return knownWaiting(deps, id, content) ?? deps.outbox.existing(id, content, now);
}

function knownWaiting(
  { waiting }: Pick<MessageDependencies, "waiting">,
  id: string,
  content: string | null,
): Replayable<SendResult> | null {
  const known = waiting.rows.find(id);
  if (known === null) return null;
  if (content !== null && known.details.content !== content) return fail("content_differs", { details: { message_id: id } });
  return { ...succeed(acceptedOf(known)), replayed: true };
}

/** The waiting send as a pending message, or null if there is none with this id. */
export function waitingMessage({ waiting }: Pick<MessageDependencies, "waiting">, id: string) {
  const known = waiting.rows.find(id);
  const message = known === null ? null : pendingMessageOf(known.request, null, Math.floor(known.at / 1000));
  if (known === null || message === null) return null;
  const { source, reference } = known.details;
  return freshRecord(message, { status: "pending", failure: null, source, reference }, null);
}

/** How much longer than the connection's retention time the files of this send must be stored. */
export function extraFileMs({ until }: SendWindow, now: number): number {
  return Math.ceil((until - now) / DAY_MS) * DAY_MS;
}

/** Stores the send. Deletes its files if the send is refused or an earlier one has its id. */
export function accept(
  deps: MessageDependencies,
  request: SendRequest,
  details: SendDetails,
  sendWindow: SendWindow,
  now: number,
): Replayable<SendResult> | Promise<Replayable<SendResult>> {
  const { waiting, removedFiles } = deps;
  // Looked up again, because another call with this id may have been accepted while this call's file was being stored.
  const earlier = earlierSend(deps, request.message_id, details.content, now);
  const files = filesIn(request);
  if (earlier !== null) {
    removedFiles.discard(files);
    return earlier;
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const added = waiting.add({ ...sendWindow, request, details, bytes }, now);
  if (added.ok) return succeed(acceptedOf(added.value));
  removedFiles.discard(files);
  return added;
}

function acceptedOf({ request, details, at, until, acceptedAt }: WaitingSend): SendResult {
  return {
    message_id: request.message_id,
    chat_id: request.chat_id,
    to: details.to,
    to_resolved: null,
    is_group: chatKind(request.chat_id) === "group",
    type: typeOf(request),
    reference: details.reference,
    timestamp: Math.floor(acceptedAt / 1000),
    delivery: { at, until },
  };
}

function waitingRecordOf({ stores, waiting }: MessageDependencies, send: WaitingSend, now: number): WaitingRecord {
  const { request, details, at, until, acceptedAt } = send;
  const message = pendingMessageOf(request, null, 0);
  return {
    message_id: request.message_id,
    chat_id: stores.lids.chat(request.chat_id),
    to: details.to,
    type: typeOf(request),
    text: message?.text ?? null,
    media: message?.media ?? null,
    reference: details.reference,
    source: details.source,
    at,
    until,
    accepted_at: acceptedAt,
    waits_for: waiting.waitsFor(send, now),
  };
}

function typeOf(request: SendRequest): string {
  return pendingMessageOf(request, null, 0)?.type ?? request.content.kind;
}

/** A new `at` shifts `until` by the same amount, unless `until` is given too. */
function changedTimes(known: SendWindow, given: { at?: number | undefined; until?: number | undefined }, now: number): Outcome<SendWindow> {
  if (given.at === undefined && given.until === undefined) return succeed({ at: known.at, until: known.until });
  if (given.at === undefined) {
    const { at } = known;
    const checked = sendWindowOf({ at: Math.max(at, now), until: given.until ?? null }, now, "");
    return checked.ok ? succeed({ at, until: checked.value.until }) : checked;
  }
  return sendWindowOf({ at: given.at, until: given.until ?? given.at + (known.until - known.at) }, now, "");
}

function withText(content: SendContent, text: string): Outcome<SendContent> {
  if (content.kind === "text") return succeed({ ...content, text });
  if ("caption" in content) return succeed({ ...content, caption: text });
  return invalidField("text", "message_without_text");
}

/** True if the send was dispatched or has ended, or if the message never waited. */
function isUnderWay({ outbox, stores }: MessageDependencies, id: string): boolean {
  return outbox.hasLeft(id) || stores.ownMessages.find(id) !== null;
}

export function filesIn(value: unknown): MediaRef[] {
  if (typeof value !== "object" || value === null) return [];
  if ("token" in value && "mimetype" in value && "size" in value) return [value as MediaRef];
  return Object.values(value).flatMap((item) => filesIn(item));
}
