import type { proto, WAMessage } from "baileys";
import { MessageId, type ChatId, type Person } from "@gateway/protocol/ids.ts";
import type { NetworkMessage, StoredMedia } from "@gateway/protocol/message.ts";
import { addressOf, asChatId, isPerson, personChat } from "../addressing/jids.ts";
import type { LidMapping } from "../addressing/lid-mapping.ts";
import { describeMedia } from "./media-part.ts";
import { numberOf, rawOf } from "./unwrap.ts";
import { viewOf, type ContentView } from "./view.ts";

/** More than the largest group has members. */
const MAX_MENTIONS = 2_000;
const STATUS_FEED = "status@broadcast";

/** `sender` is null for our own messages and for channel messages. */
export type MessageSource = { chatId: ChatId; fromMe: boolean; sender: Person | null };

/** Returns null when the message belongs to no chat (network announcements, bots). */
export function sourceOf({ key, participant }: Pick<WAMessage, "key" | "participant">, lids: LidMapping): MessageSource | null {
  const fromMe = key.fromMe === true;
  const address = addressOf(key.remoteJid);
  if (address === null) return null;
  if (isPerson(address)) {
    const person = lids.person(key.remoteJid, fromMe ? null : key.remoteJidAlt);
    return person && { chatId: personChat(person), fromMe, sender: fromMe ? null : person };
  }
  const alt = address.kind === "group" ? key.participantAlt : key.remoteJidAlt;
  const author = fromMe || address.kind === "channel" ? null : lids.person(key.participant || participant, alt);
  // A message sent to a broadcast list arrives in the direct chat with its sender.
  if (address.kind === "list") return author && { chatId: personChat(author), fromMe, sender: author };
  const chatId = asChatId(address.id);
  return chatId === null ? null : { chatId, fromMe, sender: author };
}

export function networkMessage(message: WAMessage, view: ContentView, source: MessageSource, lids: LidMapping): NetworkMessage {
  return withinBounds({
    message_id: message.key.id ?? "",
    chat_id: source.chatId,
    from_me: source.fromMe,
    sender: source.sender,
    push_name: source.fromMe ? null : message.pushName || null,
    timestamp: numberOf(message.messageTimestamp),
    type: view.type,
    text: view.text === null ? null : mentionsByPhone(view.text, lids),
    media: mediaOf(view),
    location: view.location,
    contacts: view.contacts,
    poll: view.poll,
    selected: view.selected,
    quoted: quotedOf(view.context, lids),
    mentions: mentionsOf(view.context, lids),
    forwarded: view.context?.isForwarded === true,
    view_once: view.viewOnce,
    ...(view.background !== null && source.chatId === STATUS_FEED && { background: view.background }),
    ...(view.preview !== null && { preview: view.preview }),
    raw: rawOf(message),
  });
}

function mediaOf(view: ContentView): StoredMedia | null {
  return view.media && describeMedia(view.media);
}

function quotedOf(context: proto.IContextInfo | null, lids: LidMapping): NetworkMessage["quoted"] {
  const id = MessageId.safeParse(context?.stanzaId);
  if (!context || !id.success) return null;
  const view = viewOf(context.quotedMessage);
  const text = view?.text ?? null;
  const fromMe = lids.isOwn(context.participant);
  return {
    message_id: id.data,
    from: lids.person(context.participant),
    from_me: fromMe,
    text: text === null ? null : mentionsByPhone(text, lids),
    type: view?.type ?? "unknown",
  };
}

function mentionsOf(context: proto.IContextInfo | null, lids: LidMapping): Person[] {
  const people: Person[] = [];
  for (const jid of context?.mentionedJid?.slice(0, MAX_MENTIONS) ?? []) {
    const person = lids.person(jid);
    if (person) people.push(person);
  }
  return people;
}

// Limits the size of a received message, because a hundred of the largest messages must fit into one response from the object (32 MiB).

const MAX_NAME_CHARACTERS = 1_000;
const MAX_OTHER_CHARACTERS = 90_000;
export const MAX_REACTION_CHARACTERS = 100;

/** At most `max` UTF-16 code units, without half of a character at the end. */
export function beginningOf(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

function withinBounds(message: NetworkMessage): NetworkMessage {
  const { push_name, location, contacts, poll, selected, quoted } = message;
  let left = MAX_OTHER_CHARACTERS;
  const cut = <T>(value: T): T => {
    if (typeof value === "string") {
      const kept = beginningOf(value, left);
      left -= kept.length;
      return kept as T;
    }
    if (Array.isArray(value)) return value.map(cut) as T;
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)])) as T;
  };
  return {
    ...message,
    push_name: push_name === null ? null : beginningOf(push_name, MAX_NAME_CHARACTERS),
    quoted: quoted && { ...quoted, text: cut(quoted.text) },
    ...cut({ location, selected, poll, contacts }),
  };
}

const MENTION = /@(\d{6,20})(?!\d)/g;

/** Replaces LIDs in mentions with phone numbers (docs/use/events.md, "Fields of events"). */
export function mentionsByPhone(text: string, lids: LidMapping): string {
  return text.replace(MENTION, (mention, number: string) => {
    const phone = lids.phoneOf(number);
    return phone === null ? mention : `@${phone}`;
  });
}
