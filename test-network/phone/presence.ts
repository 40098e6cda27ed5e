import type { BinaryNode } from "baileys";
import { childrenOf, node } from "../node.ts";
import { chatIdOf, isSharedChat, jidOf, personOf } from "./addresses.ts";
import { nowSeconds, type PhoneDependencies } from "./dependencies.ts";
import type { PresenceDocument } from "./views.ts";

export type Doing = "typing" | "paused" | "recording";

const MAX_CHAT_STATES = 50;

export function showOnline(phone: PhoneDependencies, online: boolean): void {
  phone.link.send(node("presence", { type: online ? "available" : "unavailable", name: phone.identity.creds.me.name }));
}

export function showDoing(phone: PhoneDependencies, chatId: string, doing: Doing): void {
  const state = doing === "paused" ? node("paused") : node("composing", { media: doing === "recording" ? "audio" : undefined });
  phone.link.send(node("chatstate", { to: jidOf(chatId) }, [state]));
}

export function watchPresence(phone: PhoneDependencies, chatId: string): void {
  if (!isSharedChat(chatId)) phone.link.send(node("presence", { type: "subscribe", to: jidOf(chatId) }));
}

export function presenceOf(phone: PhoneDependencies, chatId: string): PresenceDocument {
  return phone.documents.get("presence", chatId) ?? { chat_id: chatId, online: null, last_seen: null, doing: {}, history: [] };
}

export function receivePresence(phone: PhoneDependencies, { attrs }: BinaryNode): void {
  const chatId = chatIdOf(attrs["from"] ?? "", phone.link.directory);
  const online = attrs["type"] !== "unavailable";
  const lastSeen = /^\d+$/.test(attrs["last"] ?? "") ? Number(attrs["last"]) : null;
  const known = presenceOf(phone, chatId);
  // This is the response to another subscription, so nothing has changed.
  if (known.online === online && (lastSeen === null || lastSeen === known.last_seen)) return;
  remember(phone, chatId, chatId.replace(/@.*$/, ""), online ? "online" : "offline", (known) => ({
    online,
    last_seen: lastSeen ?? known.last_seen,
    ...(!online && { doing: {} }),
  }));
}

export function receiveDoing(phone: PhoneDependencies, stanza: BinaryNode): void {
  const [state] = childrenOf(stanza);
  const { from = "", participant } = stanza.attrs;
  const doing = state?.tag === "composing" ? (state.attrs["media"] === "audio" ? "recording" : "typing") : "paused";
  const person = personOf(participant ?? from, phone.link.directory);
  remember(phone, chatIdOf(from, phone.link.directory), person, doing, (known) => ({ doing: { ...known.doing, [person]: doing } }));
}

function remember(
  phone: PhoneDependencies,
  chatId: string,
  from: string,
  presence: string,
  change: (known: PresenceDocument) => Partial<PresenceDocument>,
): void {
  const known = presenceOf(phone, chatId);
  const history = [...known.history, { from, presence, at: nowSeconds() }].slice(-MAX_CHAT_STATES);
  phone.commit(() => phone.documents.put("presence", chatId, { ...known, ...change(known), history }));
}
