import type { z } from "zod";
import { firstCharacters } from "../../domain/messages/characters.ts";
import { isoOfMs, isoOfSeconds } from "../../http/times.ts";
import type { ChatRecord } from "../../protocol/records.ts";
import { mediaUrl, phoneOf } from "../messages/render.ts";
import type { Chat } from "../messages/schemas.ts";
import type { RenderContext } from "../route.ts";

/** Length of the last message in a chat, in code points. */
const LAST_TEXT_CHARACTERS = 200;

export function renderChat(record: ChatRecord, context: RenderContext): z.input<typeof Chat> {
  const { chat_id, name, unread_count, marked_unread, archived, pinned, disappearing_seconds, label_ids, last_message } = record;
  return {
    chat_id,
    // The status feed is not listed; its record is internal.
    kind: record.kind === "status" ? "direct" : record.kind,
    name,
    phone: phoneOf(record.person),
    unread_count,
    marked_unread,
    archived,
    pinned,
    muted_until: record.muted_until === null ? null : record.muted_until === -1 ? "always" : isoOfSeconds(record.muted_until),
    disappearing_seconds,
    label_ids,
    picture_url: mediaUrl(record.picture, context),
    last_message:
      last_message === null
        ? null
        : { ...last_message, text: last_message.text === null ? null : firstCharacters(last_message.text, LAST_TEXT_CHARACTERS) },
    updated_at: isoOfMs(record.updated_at),
  };
}
