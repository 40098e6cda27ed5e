import type { ChatModification } from "baileys";
import type { z } from "zod";
import { jidOf, STATUS_FEED } from "../../phone/addresses.ts";
import { listChats, viewChat } from "../../phone/chats.ts";
import { presenceOf, watchPresence } from "../../phone/presence.ts";
import {
  listBlocked,
  listContacts,
  pictureOf,
  pictureType,
  privacyOf,
  setBlocked,
  setPicture,
  setPrivacy,
  viewContact,
} from "../../phone/profile.ts";
import { refused } from "../../phone/refusal.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import { BlockBody, Chat, ChatChangeBody, ContactNameBody, LabelBody, LabelChatBody, PictureBody, PrivacyBody } from "../bodies.ts";
import { fileAnswer, list, NOTHING, ok, phoneRoute, type Route } from "../route.ts";
import { shown } from "./messages.ts";

export const chatRoutes: readonly Route[] = [
  phoneRoute("GET", "/chats", NOTHING, (phone) => list(listChats(phone.deps))),
  phoneRoute("GET", "/chats/:chat", NOTHING, (phone, { params }) => {
    const chat = Chat.safeParse(params["chat"]);
    if (!chat.success) return refused(400, "bad_chat_id", "this is not a chat id");
    return ok({ data: viewChat(phone.deps, phone.chatId(chat.data)) });
  }),
  phoneRoute("PATCH", "/chats/:chat", ChatChangeBody, async (phone, { params, body }) => {
    const chat = Chat.safeParse(params["chat"]);
    if (!chat.success) return refused(400, "bad_chat_id", "this is not a chat id");
    const chatId = phone.chatId(chat.data);
    for (const change of changesOf(phone, chatId, body)) await phone.modify(change, chatId);
    return ok({ data: viewChat(phone.deps, chatId) });
  }),
  phoneRoute("GET", "/labels", NOTHING, (phone) => {
    const chats = listChats(phone.deps);
    return list(
      phone.deps.documents.list("label").map((label) => ({
        ...label,
        chats: chats.filter(({ labels }) => labels.includes(label.label_id)).map(({ chat_id }) => chat_id),
      })),
    );
  }),
  phoneRoute("POST", "/labels", LabelBody, async (phone, { body: { label_id: id, name, color, deleted } }) => {
    await phone.modify({ addLabel: { id, name, color, deleted } });
    return ok({ ok: true });
  }),
  phoneRoute("POST", "/labels/:label/chats", LabelChatBody, async (phone, { params, body: { chat_id, labelled } }) => {
    const labelId = params["label"] ?? "";
    if (!phone.deps.documents.get("label", labelId)) return refused(404, "label_not_found", "the phone has no such label");
    await phone.modify(labelled ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } }, phone.chatId(chat_id));
    return ok({ ok: true });
  }),
  phoneRoute("GET", "/contacts", NOTHING, (phone) => list(listContacts(phone.deps))),
  phoneRoute("GET", "/contacts/:person", NOTHING, (phone, { params }) => {
    const data = viewContact(phone.deps, params["person"] ?? "");
    return data ? ok({ data }) : refused(404, "unknown_number", "no account with this number is on the network");
  }),
  phoneRoute("GET", "/contacts/:person/picture", NOTHING, (phone, { params }) => {
    const bytes = pictureOf(phone.deps, params["person"] ?? "");
    return bytes ? fileAnswer(bytes, pictureType(bytes)) : refused(404, "no_picture", "there is no picture of this number");
  }),
  phoneRoute("PATCH", "/contacts/:person", ContactNameBody, async (phone, { params, body: { full_name } }) => {
    const contact = full_name === null ? null : { fullName: full_name, saveOnPrimaryAddressbook: true };
    await phone.modify({ contact }, params["person"] ?? "");
    return ok({ ok: true });
  }),
  phoneRoute("GET", "/blocked", NOTHING, (phone) => list(listBlocked(phone.deps))),
  phoneRoute("POST", "/blocked", BlockBody, async (phone, { body }) => {
    await phone.act((deps) => setBlocked(deps, body.phone, body.blocked));
    return ok({ ok: true });
  }),
  phoneRoute("GET", "/privacy", NOTHING, (phone) => ok({ data: privacyOf(phone.deps) })),
  phoneRoute("PATCH", "/privacy", PrivacyBody, async (phone, { body }) => {
    const isChanged = await phone.act((deps) => setPrivacy(deps, body));
    return isChanged ? ok({ data: privacyOf(phone.deps) }) : refused(400, "bad_privacy", "the network has no such setting or value");
  }),
  phoneRoute("POST", "/picture", PictureBody, async (phone, { body: { base64 } }) => {
    await phone.act((deps) => setPicture(deps, base64 === null ? null : Buffer.from(base64, "base64")));
    return ok({ ok: true });
  }),
  // The first read creates the subscription, so it may return nothing yet.
  phoneRoute("GET", "/presence", NOTHING, (phone, { query }) => {
    const chat = Chat.safeParse(query.get("chat_id"));
    if (!chat.success) return refused(400, "bad_chat_id", "chat_id is missing or not a chat id");
    const chatId = phone.chatId(chat.data);
    watchPresence(phone.deps, chatId);
    return ok({ data: presenceOf(phone.deps, chatId) });
  }),
  phoneRoute("GET", "/statuses", NOTHING, (phone) => list(phone.inbox(STATUS_FEED).map(shown))),
];

function changesOf(phone: SimulatedPhone, chatId: string, change: z.output<typeof ChatChangeBody>): ChatModification[] {
  const lastMessages = lastMessagesOf(phone, chatId);
  return [
    ...(change.archived === undefined ? [] : [{ archive: change.archived, lastMessages }]),
    ...(change.pinned === undefined ? [] : [{ pin: change.pinned }]),
    ...(change.muted_until === undefined ? [] : [{ mute: change.muted_until === null ? null : change.muted_until * 1000 }]),
    ...(change.unread === undefined ? [] : [{ markRead: !change.unread, lastMessages }]),
  ];
}

function lastMessagesOf(phone: SimulatedPhone, chatId: string) {
  const last = phone.deps.messages.newest(chatId)?.record;
  if (!last) return [];
  const shared = !last.from_me && chatId.endsWith("@g.us");
  const key = { remoteJid: jidOf(chatId), id: last.message_id, fromMe: last.from_me, ...(shared && { participant: last.wire.author }) };
  return [{ key, messageTimestamp: last.timestamp }];
}
