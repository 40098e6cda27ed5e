// A stored message as the Connection API shows it: persons as digits or null, never the internal `@lid` (docs/events.md, "Rules of the
// data").
import type { z } from "zod";
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { PORTUGUESE } from "../../domain/failures/portuguese.ts";
import { isMediaPurged, mediaLink } from "../../domain/media/media-link.ts";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import type { Person } from "../../protocol/ids.ts";
import type { StoredMedia } from "../../protocol/message.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import type { RenderContext } from "../route.ts";
import type { Message, MessageDetail } from "./schemas.ts";

export function phoneOf(person: Person | null): string | null {
  return person?.phone ?? null;
}

export function renderMessage(record: MessageRecord, context: RenderContext): z.input<typeof Message> {
  const isGroup = record.chat_id.endsWith("@g.us");
  return {
    message_id: record.message_id,
    chat_id: record.chat_id,
    from: phoneOf(record.sender),
    to: isGroup ? null : phoneOf(record.recipient),
    from_me: record.from_me,
    is_group: isGroup,
    push_name: record.push_name,
    type: record.type,
    text: record.text,
    media: record.media === null ? null : renderMedia(record.media, context),
    location: record.location,
    contacts: record.contacts,
    poll: record.poll,
    selected: record.selected,
    quoted: record.quoted === null ? null : renderQuoted(record.quoted),
    mentions: record.mentions.flatMap((person) => (person.phone === null ? [] : [person.phone])),
    reactions: record.reactions.map(({ sender, from_me, reaction, timestamp }) => ({
      from: phoneOf(sender),
      from_me,
      reaction,
      timestamp,
    })),
    forwarded: record.forwarded,
    view_once: record.view_once,
    starred: record.starred,
    status: record.status,
    error: record.failure === null ? null : renderFailure(record.failure.code),
    source: record.source,
    reference: record.reference,
    edited_at: isoOfMsOrNull(record.edited_at),
    deleted_at: isoOfMsOrNull(record.deleted_at),
    timestamp: record.timestamp,
  };
}

export function renderMessageDetail(record: MessageRecord, context: RenderContext): z.input<typeof MessageDetail> {
  const { accepted_at, ...times } = record.timeline;
  return {
    ...renderMessage(record, context),
    timeline: { accepted_at: isoOfMsOrNull(accepted_at), ...renderReceiptTimes(times) },
    ...(record.receipts === undefined
      ? {}
      : {
          receipts: record.receipts.map(({ participant, ...receipt }) => ({
            participant: phoneOf(participant),
            ...renderReceiptTimes(receipt),
          })),
        }),
  };
}

/** Null also when the file was stored but has expired. */
export function mediaUrl(media: StoredMedia | null, { appUrl }: RenderContext): string | null {
  if (media === null || media.token === null || isMediaPurged(media.token, Date.now())) return null;
  return mediaLink(appUrl, media.token, media.mimetype);
}

export function renderMedia(media: StoredMedia, context: RenderContext) {
  const { mimetype, filename, size, duration_seconds, width, height } = media;
  return { url: mediaUrl(media, context), mimetype, filename, size, duration_seconds, width, height };
}

function renderQuoted({ message_id, from, text, type }: NonNullable<MessageRecord["quoted"]>) {
  return { message_id, from: phoneOf(from), text, type };
}

function renderFailure(code: FailureCode) {
  return { codigo: FAILURE_ANSWERS[code].codigo, mensagem: PORTUGUESE[code] };
}

function renderReceiptTimes(times: { delivered_at: number | null; read_at: number | null; played_at: number | null }) {
  return {
    delivered_at: isoOfMsOrNull(times.delivered_at),
    read_at: isoOfMsOrNull(times.read_at),
    played_at: isoOfMsOrNull(times.played_at),
  };
}
