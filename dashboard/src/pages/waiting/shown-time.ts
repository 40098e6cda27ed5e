import { serverNow } from "../../api/server-time.ts";
import { dayName } from "../../domain/chats.ts";
import { dateFormat, timeFormat } from "../../domain/formats.ts";
import { type Language, locale } from "../../texts/language.ts";

/** Shows "today" or "tomorrow" instead of their dates, as inside a sentence. */
export function shownTime(at: number, language: Language): string {
  const now = serverNow();
  const time = timeFormat(locale(language)).format(at);
  const days = new Intl.RelativeTimeFormat(locale(language), { numeric: "auto" });
  if (dayName(at, now) === "today") return `${days.format(0, "day")}, ${time}`;
  if (dayName(now, at) === "yesterday") return `${days.format(1, "day")}, ${time}`;
  return dateFormat(locale(language), { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** The same time as a label of its own. */
export function timeLabel(at: number, language: Language): string {
  const shown = shownTime(at, language);
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}
