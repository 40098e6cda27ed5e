import { limitFailure } from "@gateway/domain/cloud/request.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { type SendWindow, sendWindowOf } from "@gateway/domain/messages/send-window.ts";
import { mediaStoredUntil } from "@gateway/domain/media/media-link.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { WaitingRecord } from "@gateway/protocol/operations/waiting.ts";
import { filesIn } from "../files/call-files.ts";
import type { HandlersOf } from "../handlers.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { pendingMessageOf } from "../messages/own-sends.ts";
import { pageOf, startOf } from "../store/pagination.ts";
import { typeOf } from "./accepted-waiting.ts";
import { sendOf, type WaitingSend } from "./waiting-rows.ts";

export function waitingHandlers(deps: MessageDependencies): HandlersOf<"waiting.list" | "waiting.change" | "waiting.cancel"> {
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
      const beyond = text !== undefined && deps.identity.kind === "cloud_api" ? limitFailure(content.value) : null;
      if (beyond !== null) return beyond;
      const send = { ...known, ...times.value, request: { ...known.request, content: content.value } };
      rows.put(send);
      waiting.changed();
      return succeed(waitingRecordOf(deps, send, now));
    },

    "waiting.cancel": ({ message_id: id, chat_id: chatId }) => {
      const chats = chatId === null ? null : deps.stores.lids.chatIds(chatId);
      const found = (id === null ? rows.ids(chats) : [id]).map((each) => rows.find(each)).filter((send) => send !== null);
      for (const { request } of found) {
        waiting.remove(request.message_id);
        deps.removedFiles.add(filesIn(request).map(({ token }) => token));
      }
      if (found.length > 0) waiting.changed();
      return succeed({ count: found.length });
    },
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
  if ("caption" in content) {
    return hasAtMostCharacters(text, LIMITS.captionCharacters)
      ? succeed({ ...content, caption: text })
      : invalidField("text", "text_length", LIMITS.captionCharacters);
  }
  return invalidField("text", "message_without_text");
}

/** True if the send was dispatched or has ended, or if the message never waited. */
function isUnderWay({ outbox, stores }: MessageDependencies, id: string): boolean {
  return outbox.hasLeft(id) || stores.ownMessages.find(id) !== null;
}
