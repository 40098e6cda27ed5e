import type { z } from "zod";
import { readFileOf } from "../../phone/messages/inbox.ts";
import { expireMedia } from "../../phone/messages/lost-media.ts";
import { remember } from "../../phone/history.ts";
import { refused, done, type Outcome } from "../../phone/refusal.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import type { MessageRecord } from "../../phone/store/messages.ts";
import type { ShownMessage } from "../../phone/views.ts";
import {
  ChatBody,
  DeleteBody,
  EditBody,
  EventAnswerBody,
  ExpireBody,
  HistoryBody,
  PinBody,
  PlayedBody,
  ReactBody,
  SendBody,
  StarBody,
  VoteBody,
  type SEND_TYPES,
} from "../bodies.ts";
import { answer, fileAnswer, list, NOTHING, ok, phoneRoute, type Route } from "../route.ts";
import type { OutgoingContent, OutgoingFile, OutgoingPreview } from "../../phone/messages/outgoing-content.ts";

type Body = z.output<typeof SendBody>;
type SendType = (typeof SEND_TYPES)[number];

function outgoingContent(body: Body): Outcome<OutgoingContent> {
  const type = body.type ?? guess(body);
  const content = BUILDERS[type](body);
  return content ? done(content) : refused(400, "bad_body", `a ${type} message lacks ${NEEDS[type]}`);
}

const BUILDERS: { readonly [T in SendType]: (body: Body) => OutgoingContent | null } = {
  text: ({ text, style, link_preview: preview }) =>
    text === undefined ? null : { type: "text", text, ...(style && { style }), ...(preview && { preview: previewOf(preview) }) },
  image: (body) => withFile(body, (file, caption) => ({ type: "image", file, caption, view_once: body.view_once })),
  video: (body) => withFile(body, (file, caption) => ({ type: "video", file, caption, view_once: body.view_once })),
  audio: (body) => withFile(body, (file) => ({ type: "audio", file, view_once: body.view_once })),
  voice: (body) => withFile(body, (file) => ({ type: "voice", file, view_once: body.view_once })),
  document: (body) => withFile(body, (file, caption) => ({ type: "document", file, caption })),
  sticker: (body) => withFile(body, (file) => ({ type: "sticker", file })),
  location: ({ location: at }) =>
    at ? { type: "location", latitude: at.latitude, longitude: at.longitude, name: at.name ?? null, address: at.address ?? null } : null,
  contact: ({ contact }) => (contact ? { type: "contact", contacts: [contact].flat() } : null),
  poll: ({ poll }) => (poll ? { type: "poll", ...poll } : null),
  list: ({ list }) => (list ? { type: "list", ...list } : null),
  list_response: ({ selected }) => (selected ? { type: "list_response", row_id: selected.id, title: selected.title } : null),
  button_response: ({ selected }) => (selected ? { type: "button_response", button_id: selected.id, title: selected.title } : null),
};

function previewOf({ thumbnail, ...preview }: NonNullable<Body["link_preview"]>): OutgoingPreview {
  return { ...preview, thumbnail: thumbnail === undefined ? undefined : Buffer.from(thumbnail, "base64") };
}

const NEEDS: { readonly [T in SendType]: string } = {
  text: "text",
  image: "media",
  video: "media",
  audio: "media",
  voice: "media",
  document: "media",
  sticker: "media",
  location: "location",
  contact: "contact",
  poll: "poll",
  list: "list",
  list_response: "selected",
  button_response: "selected",
};

function guess({ media, location, contact, poll, list }: Body): SendType {
  if (location) return "location";
  if (contact) return "contact";
  if (poll) return "poll";
  if (list) return "list";
  if (!media) return "text";
  if (media.mimetype === "image/webp") return "sticker";
  const family = media.mimetype.replace(/\/.*$/, "");
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}

function withFile(
  { media, caption, text }: Body,
  build: (file: OutgoingFile, caption: string | null) => OutgoingContent,
): OutgoingContent | null {
  if (!media) return null;
  const { base64, mimetype, filename = null, seconds, url, direct_path: directPath, plain, unhashed } = media;
  const file = { bytes: Buffer.from(base64, "base64"), mimetype, filename, seconds, claims: { url, directPath, plain, unhashed } };
  return build(file, caption ?? text ?? null);
}

export const messageRoutes: readonly Route[] = [
  phoneRoute("POST", "/send", SendBody, async (phone, { body }) => {
    const content = outgoingContent(body);
    if (!content.ok) return content;
    const { quoted_id: quotedId, mentions, audience, withheld, context_beside: contextBeside, counter_forgotten: counterForgotten } = body;
    return answer(
      await phone.send(body.chat_id ?? body.to ?? "", content.value, {
        quotedId,
        mentions,
        audience,
        withheld,
        contextBeside,
        counterForgotten,
      }),
    );
  }),
  phoneRoute("POST", "/react", ReactBody, async (phone, { body }) =>
    answer(await phone.react(body.chat_id, body.message_id, body.reaction)),
  ),
  phoneRoute("POST", "/edit", EditBody, async (phone, { body }) => answer(await phone.edit(body.chat_id, body.message_id, body.text))),
  phoneRoute("POST", "/delete", DeleteBody, async (phone, { body }) => answer(await phone.delete(body.chat_id, body.message_id))),
  phoneRoute("POST", "/vote", VoteBody, async (phone, { body }) => answer(await phone.vote(body.chat_id, body.message_id, body.options))),
  phoneRoute("POST", "/event-answer", EventAnswerBody, async (phone, { body }) =>
    answer(await phone.answerEvent(body.chat_id, body.message_id, body.coming)),
  ),
  phoneRoute("POST", "/pin", PinBody, async (phone, { body }) => answer(await phone.pin(body.chat_id, body.message_id, body.pinned))),
  phoneRoute("POST", "/star", StarBody, async (phone, { body: { chat_id, message_id, starred } }) => {
    const record = phone.deps.messages.find(phone.chatId(chat_id), message_id)?.record;
    if (!record) return refused(404, "message_not_found", "the phone has no such message in this chat");
    await phone.modify({ star: { messages: [{ id: message_id, fromMe: record.from_me }], star: starred } }, chat_id);
    return ok({ ok: true });
  }),
  phoneRoute("POST", "/read", ChatBody, async (phone, { body: { chat_id } }) => ok({ ok: true, read: await phone.read(chat_id) })),
  phoneRoute("POST", "/played", PlayedBody, async (phone, { body }) =>
    ok({ ok: true, played: await phone.play(body.chat_id, body.message_id) }),
  ),
  phoneRoute("GET", "/inbox", NOTHING, (phone, { query }) => {
    const limit = Number(query.get("limit") ?? 0);
    if (!Number.isInteger(limit) || limit < 0) return refused(400, "bad_limit", "limit is how many of the newest, a whole number");
    return list(
      phone
        .inbox(query.get("chat_id") ?? undefined)
        .slice(-limit)
        .map(shown),
    );
  }),
  phoneRoute("GET", "/inbox/:message/media", NOTHING, (phone, { params }) => file(phone, params["message"] ?? "")),
  // Deletes the file from the media host, so that devices must ask the phone to upload it again.
  phoneRoute("POST", "/inbox/:message/expire-media", ExpireBody, async (phone, { params, body: { status } }) => {
    const expired = await phone.act((deps) => expireMedia(deps, params["message"] ?? "", status));
    return expired ? ok({ ok: true }) : refused(404, "media_not_found", "the message has no file on the media host");
  }),
  phoneRoute("GET", "/receipts", NOTHING, (phone, { query }) => list(phone.deps.receipts.list(query.get("message_id") ?? undefined))),
  phoneRoute("POST", "/history", HistoryBody, async (phone, { body: { chat_id, messages } }) => {
    return ok({ message_ids: await phone.act((deps) => remember(deps, chat_id, messages)) }, 201);
  }),
];

export function shown({ wire: _wire, ...record }: MessageRecord): ShownMessage {
  return record;
}

function file(phone: SimulatedPhone, messageId: string) {
  const stored = phone.deps.messages.findAnywhere(messageId);
  const bytes = stored && readFileOf(phone.deps, stored.content);
  if (!bytes) return refused(404, "media_not_found", "the message has no file that the phone could open");
  const { media } = stored.record;
  return fileAnswer(bytes, media?.mimetype ?? "", media?.filename);
}
