import { serverNow } from "../../api/server-time.ts";
import { dayName } from "../../domain/chats.ts";
import { dateFormat, timeFormat } from "../../domain/formats.ts";
import { type Language, locale } from "../../texts/language.ts";

/** Shows "today" or "tomorrow" instead of their dates. */
export function shownTime(at: number, language: Language): string {
  const now = serverNow();
  const time = timeFormat(locale(language)).format(at);
  const days = new Intl.RelativeTimeFormat(locale(language), { numeric: "auto" });
  if (dayName(at, now) === "today") return `${capital(days.format(0, "day"))}, ${time}`;
  if (dayName(now, at) === "yesterday") return `${capital(days.format(1, "day"))}, ${time}`;
  return dateFormat(locale(language), { dateStyle: "medium", timeStyle: "short" }).format(at);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
