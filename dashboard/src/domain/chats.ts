import type { Json } from "./snippets.ts";
import { groupedPhone } from "./phone.ts";

type Named = { kind: "direct" | "group" | "channel"; name: string | null; phone: string | null };

/** `hidden` is the title of a chat without a name or number. A `…@lid` id is internal to the network, so it is never shown. */
export function chatTitle({ kind, name, phone }: Named, hidden: Record<Named["kind"], string>): string {
  if (name !== null && name !== "") return name;
  return phone === null ? hidden[kind] : groupedPhone(phone);
}

/** Returns null for groups, channels and hidden numbers. */
export function phoneOfChat(chatId: string): string | null {
  return /^(\d{7,15})@c\.us$/.exec(chatId)?.[1] ?? null;
}

/** Reads `-23.5614, -46.6559`, as copied from a map. Null for anything else. */
export function typedPlace(text: string): { latitude: number; longitude: number } | null {
  const parts = /^\s*(-?\d{1,2}(?:[.]\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:[.]\d+)?)\s*$/.exec(text);
  if (parts === null) return null;
  const [latitude, longitude] = [Number(parts[1]), Number(parts[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** Reads one option per line. Null unless there are 2 to 12 different options. */
export function typedOptions(text: string): string[] | null {
  const options = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return options.length < 2 || options.length > 12 || new Set(options).size < options.length ? null : options;
}

type Send = { kind: string; chat_id: string; quoted_message_id?: string } & Record<string, Json>;

/** The same message as a Connection API call, with an example URL in place of a file. */
export function callOfSend(origin: string, { kind, chat_id, ...fields }: Send) {
  const { media, ...rest } = fields;
  const file =
    media === undefined ? {} : { media: { url: "https://example.com/file", ...(kind === "document" ? { filename: "file.pdf" } : {}) } };
  return { method: "POST", url: `${origin}/api/v1/messages/${kind}`, body: { chat_id, ...rest, ...file } };
}

/** Returns the part of the text that was typed while `sent` was being sent. */
export function leftToSend(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now;
}

export function putBack(text: string, now: string): string {
  return now.trim() === "" ? text : `${text}\n${now}`;
}

export function mayEdit(
  message: { from_me: boolean; type: string; at: string; deleted_at: string | null; status: string | null },
  now: number,
) {
  const isSent = message.status !== "pending" && message.status !== "failed";
  return message.from_me && message.type === "text" && message.deleted_at === null && isSent && now - Date.parse(message.at) < EDIT_MS;
}
const EDIT_MS = 15 * 60_000;

/** The outcome of an uncertain send, or null while it is still unknown. */
export function outcomeOf(status: string | null): "sent" | "failed" | null {
  if (status === "failed") return "failed";
  return status === null || status === "pending" ? null : "sent";
}

const DAY_MS = 86_400_000;

/** `now` and `at` are in Unix ms and are compared in the reader's time zone. Null for any other day. */
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

/** Phones start a sentence with `Https://`, and people leave the scheme out. */
const LINK = /(?:https?:\/\/|\bwww\.(?=\w))[^\s<>"]+/gi;
/** Punctuation that follows an address in a sentence. A closing bracket is kept, because it may be part of the address. */
const AFTER_LINK = /[.,;:!?'*_~]+$/;

type TextPart = { from: number; text: string; href: string | null };

/** Splits a text at its links. `href` is null for plain text. */
export function withLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const trimmed = found.replace(AFTER_LINK, "");
    const address = trimmed.endsWith(")") && !trimmed.includes("(") ? trimmed.slice(0, -1) : trimmed;
    const href = /^www/i.test(address) ? `https://${address}` : address;
    if (!URL.canParse(href)) continue;
    if (index > from) parts.push({ from, text: text.slice(from, index), href: null });
    parts.push({ from: index, text: address, href });
    from = index + address.length;
  }
  if (from < text.length) parts.push({ from, text: text.slice(from), href: null });
  return parts;
}

export function kindOfFile(type: string): "image" | "video" | "document" {
  if (/^image\/(jpeg|png|webp)$/.test(type)) return "image";
  return type.startsWith("video/") ? "video" : "document";
}

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The loudness of each of `count` equal parts, from 0 to 1, relative to the loudest. */
export function loudness(samples: Float32Array, count: number): number[] {
  const size = Math.max(1, Math.floor(samples.length / count));
  const parts = Array.from({ length: count }, (_, part) => {
    let sum = 0;
    for (let at = part * size; at < (part + 1) * size && at < samples.length; at++) sum += Math.abs(samples[at] ?? 0);
    return sum / size;
  });
  const most = Math.max(...parts);
  return most === 0 ? parts : parts.map((part) => part / most);
}

/** A URL that phones open in their maps app. */
export function mapHref({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
}
