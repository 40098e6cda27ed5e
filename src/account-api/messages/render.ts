import type { z } from "zod";
import { ENGLISH } from "../../domain/failures/english.ts";
import { mediaLink } from "../../domain/media/media-link.ts";
import { isoOfMsOrNull, isoOfSeconds } from "../../http/times.ts";
import { chatIdOf, type Person } from "../../protocol/ids.ts";
import type { StoredMedia } from "../../protocol/message.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import type { Message } from "./schemas.ts";

type Shown = z.input<typeof Message>;

/** `appUrl`: the origin of media links. */
export function renderMessage(record: MessageRecord, appUrl: string): Shown {
  const isGroup = record.chat_id.endsWith("@g.us");
  const { sender, recipient, from_me, failure } = record;
  return {
    message_id: record.message_id,
    chat_id: record.chat_id,
    from: personId(sender),
    to: isGroup ? null : personId(recipient),
    phone: (from_me ? (isGroup ? null : recipient?.phone) : sender?.phone) ?? null,
    from_me,
    is_group: isGroup,
    participant: isGroup ? personId(sender) : null,
    push_name: record.push_name,
    type: record.type,
    text: record.text,
    media: record.media === null ? null : renderMedia(record.media, appUrl),
    location: record.location,
    contacts: record.contacts,
    poll: record.poll,
    selected: record.selected,
    quoted: record.quoted === null ? null : renderQuoted(record.quoted),
    mentions: record.mentions.map(personId).filter((id) => id !== null),
    reactions: record.reactions.map(({ sender: by, from_me: mine, reaction, timestamp }) => ({
      from: personId(by),
      from_me: mine,
      reaction,
      timestamp: isoOfSeconds(timestamp),
    })),
    forwarded: record.forwarded,
    view_once: record.view_once,
    starred: record.starred,
    status: record.status,
    error: failure === null ? null : { code: failure.code, message: ENGLISH[failure.code] },
    source: record.source,
    reference: record.reference,
    edited_at: isoOfMsOrNull(record.edited_at),
    deleted_at: isoOfMsOrNull(record.deleted_at),
    timestamp: isoOfSeconds(record.timestamp),
  };
}

function renderMedia(media: StoredMedia, appUrl: string): NonNullable<Shown["media"]> {
  const { token, mimetype, filename, size, duration_seconds, width, height } = media;
  return { url: token === null ? null : mediaLink(appUrl, token, mimetype), mimetype, filename, size, duration_seconds, width, height };
}

function renderQuoted({ message_id, from, text, type }: NonNullable<MessageRecord["quoted"]>): NonNullable<Shown["quoted"]> {
  return { message_id, from: personId(from), text, type };
}

/** `<phone>@c.us`; null while the phone is unknown. */
function personId(person: Person | null): string | null {
  return person === null || person.phone === null ? null : chatIdOf(person);
}
