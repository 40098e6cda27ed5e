// Chooses the time of a waiting message.
import { localValue, timeIn, usualTimes } from "../../domain/send-times.ts";
import { TextField, textOf } from "../../ui/forms/field.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import type { Language } from "../../texts/language.ts";
import { timeLabel } from "./shown-time.ts";

export const PICKED = "pick";
const ONLINE = "online";

type Choices = { now: number; offline: boolean; language: Language };

/** The choices for when to send: now or once connected, the usual times, or a time that the user picks. */
export function timeChoices(texts: TextsOf<typeof CHATS>["later"], { now, offline, language }: Choices) {
  const { today, tomorrow } = usualTimes(now);
  return [
    offline ? { value: ONLINE, label: texts.online } : { value: "now", label: texts.now },
    ...[today, tomorrow].flatMap((at) => (at === null ? [] : [{ value: String(at), label: timeLabel(at, language) }])),
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
