// Chooses and shows the time of a waiting message.
import { serverNow } from "../../api/server-time.ts";
import { dayName } from "../../domain/chats.ts";
import { dateFormat, timeFormat } from "../../domain/formats.ts";
import { localValue, timeIn, usualTimes } from "../../domain/send-times.ts";
import { TextField, textOf } from "../../ui/forms/field.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
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

export const PICKED = "pick";
const ONLINE = "online";

type Choices = { now: number; offline: boolean; language: Language };

/** The choices for when to send: now or once connected, the usual times, or a time that the user picks. */
export function timeChoices(texts: TextsOf<typeof CHATS>["later"], { now, offline, language }: Choices) {
  const { today, tomorrow } = usualTimes(now);
  return [
    offline ? { value: ONLINE, label: texts.online } : { value: "now", label: texts.now },
    ...[today, tomorrow].flatMap((at) => (at === null ? [] : [{ value: String(at), label: shownTime(at, language) }])),
    { value: PICKED, label: texts.pick },
  ];
}

/** A time in Unix ms. Null means as soon as the number is connected, and undefined means now. */
export function chosenTime(choice: string, fields: FormData): number | null | undefined {
  if (choice === "now") return undefined;
  if (choice === ONLINE) return null;
  return choice === PICKED ? timeIn(textOf(fields, "at")) : Number(choice);
}

const MAX_AHEAD_MS = 365 * 86_400_000;

/** `from` is the earliest allowed time. */
export function TimeField({ at, from }: { at: number; from: number }) {
  const texts = useTexts(CHATS).later;
  return (
    <TextField
      label={texts.time}
      name="at"
      type="datetime-local"
      hint={texts.timeHint}
      defaultValue={localValue(at)}
      min={localValue(from)}
      max={localValue(from + MAX_AHEAD_MS)}
      required
      data-autofocus
    />
  );
}
