import { groupedPhone } from "./phone.ts";

export type ChatKind = "direct" | "group" | "channel";
type Named = { kind: ChatKind; name: string | null; phone: string | null };

/** `hidden` contains the titles of chats without a name or number. An `…@lid` id is internal to the network, so it is never shown. */
export function chatTitle({ kind, name, phone }: Named, hidden: Record<ChatKind, string>): string {
  if (name !== null && name !== "") return name;
  return phone === null ? hidden[kind] : groupedPhone(phone);
}

export function kindOfChat(chatId: string): ChatKind {
  if (chatId.endsWith("@g.us")) return "group";
  return chatId.endsWith("@newsletter") ? "channel" : "direct";
}

/** Returns null for groups, channels and hidden numbers. */
export function phoneOfChat(chatId: string): string | null {
  return /^(\d{7,15})@c\.us$/.exec(chatId)?.[1] ?? null;
}

const DAY_MS = 86_400_000;

/** `now` and `at` are in Unix ms and are compared in the reader's time zone. Returns null for any other day. */
export function dayName(at: number, now: number): "today" | "yesterday" | null {
  const day = (time: number) => new Date(time).toDateString();
  if (day(at) === day(now)) return "today";
  // Compares with noon, because days on which the clocks change have 23 or 25 hours.
  return day(at) === day(new Date(now).setHours(12) - DAY_MS) ? "yesterday" : null;
}

/** The id of the oldest unread message, if any: among the messages from others, the `unread` newest ones are unread. */
export function firstUnread(messages: readonly { message_id: string; from_me: boolean }[], unread: number): string | undefined {
  const theirs = messages.filter(({ from_me }) => !from_me);
  return unread === 0 ? undefined : theirs.at(-Math.min(unread, theirs.length))?.message_id;
}

/** `types` maps each known type to its name. */
export function typeName(types: Readonly<Record<string, string>>, type: string): string {
  return Object.hasOwn(types, type) ? (types[type] ?? type) : type;
}

/** A URL that phones open in their maps app. */
export function mapHref({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
}
