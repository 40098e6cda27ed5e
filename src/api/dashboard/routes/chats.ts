// Chats and their messages. An `…@lid` is never shown as a phone number (docs/use/events.md, "Fields of events").
import { isMediaPurged } from "@gateway/domain/media/media-link.ts";
import { firstCharacters } from "@gateway/domain/messages/characters.ts";
import { historyOf } from "#root/src/http/chat-history.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { fileHeaders, INERT, readRange } from "#root/src/http/file-headers.ts";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { ChatRecord, MessageRecord } from "@gateway/protocol/records.ts";
import { lookUpMedia, openMedia } from "#root/src/services/media/open.ts";
import { action, message, operation, stream } from "../route.ts";
import { callAs } from "../call-as.ts";

const LAST_TEXT_CHARACTERS = 200;

export const chatRoutes = [
  operation("GET /connections/{id}/chats", {
    operation: "chats.list",
    input: ({ query: { limit, cursor = null, q = null } }) => ({
      limit,
      cursor,
      q: q === "" ? null : q,
      archived: null,
      unread: null,
      kind: null,
      label_id: null,
    }),
    render: ({ items, next_cursor }) => ({ data: items.map(renderChat), next_cursor }),
  }),
  action("GET /connections/{id}/chats/{chat_id}", "member", async (c, member, { params }) => {
    const found = await callAs(c, member, "chats.get", { chat_id: params.chat_id });
    if (found.ok) return { ok: true, value: { data: renderChat(found.value) } };
    return found.failure.code === "chat_not_found" ? { ok: true, value: { data: null } } : found;
  }),
  operation("GET /connections/{id}/chats/{chat_id}/messages", {
    operation: "messages.list",
    input: ({ params, query: { limit, cursor, q, only } }) =>
      historyOf(params.chat_id, { limit, cursor, q: q === "" ? undefined : q, only }),
    render: ({ items, next_cursor }) => ({ data: items.map(renderMessage), next_cursor }),
  }),
  operation("GET /connections/{id}/messages", {
    operation: "messages.list",
    input: ({ query: { limit, cursor, q } }) => ({ ...historyOf(null, { limit, cursor, q }), both_sides: true }),
    render: ({ items, next_cursor }) => ({ data: items.map(renderMessage), next_cursor }),
  }),
  operation("POST /connections/{id}/chats/{chat_id}/seen", {
    operation: "chats.seen",
    input: ({ params }) => ({ chat_id: params.chat_id }),
    render: message("The chat is marked as read."),
  }),
  operation("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}", {
    operation: "messages.edit",
    input: ({ params: { chat_id, message_id }, body }) => ({ chat_id, message_id, text: body.text }),
    render: (edited) => ({ data: renderMessage(edited) }),
  }),
  operation("DELETE /connections/{id}/chats/{chat_id}/messages/{message_id}", {
    operation: "messages.delete",
    input: ({ params: { chat_id, message_id } }) => ({ chat_id, message_id, for_everyone: true }),
    render: message("The message is deleted for everybody."),
  }),
  operation("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/reaction", {
    operation: "messages.react",
    input: ({ params: { chat_id, message_id }, body }) => ({ chat_id, message_id, reaction: body.reaction }),
    render: message("The reaction is set."),
  }),
  operation("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/star", {
    operation: "messages.star",
    input: ({ params: { chat_id, message_id }, body }) => ({ chat_id, message_id, star: body.starred }),
    render: message("The star is set."),
  }),
  stream("GET /connections/{id}/chats/{chat_id}/messages/{message_id}/media", "member", async (c, member, { params }) => {
    const { chat_id, message_id } = params;
    const found = await callAs(c, member, "messages.media", { chat_id, message_id });
    if (!found.ok) return found;
    const { token, mimetype, filename } = found.value;
    const facts = await lookUpMedia(c.env.MEDIA, token, Date.now());
    if (facts === null) return englishFailure(c, "media_expired");
    // Players request ranges in order to seek, and some browsers request them even before playing.
    const range = readRange(c.req.header("range"), facts.sizeBytes);
    if (range === "unsatisfiable") return c.body(null, 416, { ...INERT, "Content-Range": `bytes */${facts.sizeBytes}` });
    const media = await openMedia(c.env.MEDIA, token, Date.now(), range ?? undefined);
    if (media === null) return englishFailure(c, "media_expired");
    const part = media.range;
    const headers = {
      ...fileHeaders(mimetype, filename, { shown: true }),
      "Accept-Ranges": "bytes",
      "Content-Length": String(part?.length ?? media.sizeBytes),
    };
    if (part === null) return c.body(media.body, 200, headers);
    const shown = `bytes ${part.offset}-${part.offset + part.length - 1}/${media.sizeBytes}`;
    return c.body(media.body, 206, { ...headers, "Content-Range": shown });
  }),
  operation("GET /connections/{id}/chats/{chat_id}/messages/{message_id}/votes", {
    operation: "messages.votes",
    input: ({ params: { chat_id, message_id } }) => ({ chat_id, message_id }),
    render: ({ items }) => ({ data: items.map(({ option, voters }) => ({ option, voters: voters.map(({ phone }) => phone) })) }),
  }),
  operation("GET /connections/{id}/messages/{message_id}", {
    operation: "messages.get",
    input: ({ params }) => ({ message_id: params.message_id, chat_id: null }),
    render: (record) => {
      const { accepted_at, delivered_at, read_at, played_at } = record.timeline;
      const timeline = {
        accepted_at: isoOfMsOrNull(accepted_at),
        delivered_at: isoOfMsOrNull(delivered_at),
        read_at: isoOfMsOrNull(read_at),
        played_at: isoOfMsOrNull(played_at),
      };
      return { data: { ...renderMessage(record), timeline } };
    },
  }),
];

function renderChat(chat: ChatRecord) {
  const { chat_id, kind, name, person, unread_count, marked_unread, archived, pinned, last_message: last } = chat;
  return {
    chat_id,
    // Lists never contain the status feed, so its kind needs no name here.
    kind: kind === "status" ? "direct" : kind,
    name,
    phone: person?.phone ?? null,
    unread_count,
    marked_unread,
    archived,
    pinned,
    muted: chat.muted_until !== null,
    last_message: last === null ? null : renderLast(last),
    updated_at: isoOfMs(chat.updated_at),
  };
}

function renderLast({ timestamp, text, ...last }: NonNullable<ChatRecord["last_message"]>) {
  return { ...last, text: text === null ? null : firstCharacters(text, LAST_TEXT_CHARACTERS), at: isoOfSeconds(timestamp) };
}

function renderMessage(record: MessageRecord) {
  const { message_id, chat_id, from_me, push_name, type, text, location, poll, forwarded, starred, status, source } = record;
  return {
    message_id,
    chat_id,
    from_me,
    from: record.sender?.phone ?? null,
    push_name,
    type,
    text,
    // After an edit, the text may no longer contain the link.
    preview: record.edited_at === null ? (record.preview ?? null) : null,
    media: record.media === null ? null : renderMedia(record.media),
    location,
    contacts: record.contacts?.map(({ full_name, phone }) => ({ full_name, phone })) ?? null,
    poll,
    quoted: record.quoted === null ? null : renderQuoted(record.quoted),
    reactions: record.reactions.map(({ from_me: own, sender, reaction }) => ({ from_me: own, from: sender?.phone ?? null, reaction })),
    forwarded,
    starred,
    status,
    error: record.failure?.code ?? null,
    source,
    edited_at: isoOfMsOrNull(record.edited_at),
    deleted_at: isoOfMsOrNull(record.deleted_at),
    at: isoOfSeconds(record.timestamp),
  };
}

function renderMedia({ token, mimetype, filename, size, duration_seconds, width, height }: StoredMedia) {
  return { mimetype, filename, size, duration_seconds, width, height, stored: token !== null && !isMediaPurged(token, Date.now()) };
}

function renderQuoted({ message_id, from_me, text, type }: NonNullable<MessageRecord["quoted"]>) {
  return { message_id, from_me, text, type };
}
