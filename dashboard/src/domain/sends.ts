// Functions for a chat's dialogs. They are separate from `chats.ts`, because the dialogs load later.
import type { Json } from "./snippets.ts";

const LAT = String.raw`(-?\d{1,2}(?:\.\d+)?)`;
const LNG = String.raw`(-?\d{1,3}(?:\.\d+)?)`;
/** In order of precedence: a Google Maps link can contain both the marked place (`!3d`) and the centre of the map (`@`). */
const PLACES = [
  String.raw`^\s*${LAT}\s*[,;\s]\s*${LNG}\s*$`,
  String.raw`^geo:${LAT},${LNG}`,
  String.raw`^https?://.*!3d${LAT}!4d${LNG}`,
  String.raw`^https?://.*[?&](?:q|query|ll|destination|daddr)=(?:loc:)?${LAT}(?:,|%2C)\s*${LNG}`,
  String.raw`^https?://.*[?&]mlat=${LAT}&mlon=${LNG}`,
  String.raw`^https?://.*@${LAT},${LNG}`,
  String.raw`^https?://.*#map=\d+/${LAT}/${LNG}`,
].map((pattern) => new RegExp(pattern, "i"));

/** Reads `-23.5614, -46.6559`, or a link to a map that contains the place. Returns null for anything else. */
export function typedPlace(text: string): { latitude: number; longitude: number } | null {
  const parts = PLACES.map((pattern) => pattern.exec(text)).find((found) => found !== null);
  if (!parts) return null;
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

/** Returns the part of the text that was typed while `sent` was being sent. */
export function leftToSend(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now;
}

export function putBack(text: string, now: string): string {
  return now.trim() === "" ? text : `${text}\n${now}`;
}
