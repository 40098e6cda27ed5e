import { isGroup, digits } from "./values.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { mediaLink } from "../../media/media-link.ts";

/** The body or caption, or else a description of the content (docs/use/events.md, "Rules of the data"). */
export function textOf(message: MessageRecord): string | null {
  if (message.text !== null) return message.text;
  if (message.poll !== null) return message.poll.question;
  if (message.selected !== null) return message.selected.title;
  if (message.contacts !== null) return message.contacts.map((card) => card.full_name).join(", ");
  if (message.location !== null) {
    const { name, address, latitude, longitude } = message.location;
    return name ?? address ?? `${latitude}, ${longitude}`;
  }
  return message.type === "document" ? (message.media?.filename ?? null) : null;
}

export function mediaUrl(message: MessageRecord, appUrl: string): string | null {
  const token = message.media?.token ?? null;
  return token === null ? null : mediaLink(appUrl, token, message.media?.mimetype ?? "");
}

/** The other person of a one-to-one chat; null in groups and when unknown. */
export function recipientDigits(chatId: string, recipient: MessageRecord["recipient"]): string | null {
  return isGroup(chatId) ? null : (digits(recipient) ?? digits(personOf(chatId)));
}
