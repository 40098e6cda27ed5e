// Shows a relative time, and the exact time in a tooltip. A click copies the time in UTC.
import { relative, timeFormat } from "../domain/formats.ts";
import { UI } from "../texts/catalogs.ts";
import { type Language, locale, useLanguage } from "../texts/language.ts";
import { useTexts } from "../texts/catalog.ts";
import { useNow } from "./clock.ts";
import { useCopy } from "./code/copy.tsx";
import { useHint } from "./floating/hint.tsx";

type WhenProps = { time: string | number | null; none?: string; plain?: boolean; justNow?: string };

/** If `time` is null, shows `none` or "never". `plain` omits the button, for use in links and buttons. `justNow` replaces "now". */
export function When({ time, none, plain = false, justNow }: WhenProps) {
  const texts = useTexts(UI);
  const language = useLanguage();
  if (time === null) return <span className="text-soft">{none ?? texts.never}</span>;
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return <span>{String(time)}</span>;
  if (plain) {
    return (
      <time aria-live="off" dateTime={at.toISOString()} title={exact(at, language)}>
        <Ago since={at.getTime()} />
      </time>
    );
  }
  return <Copied at={at} justNow={justNow} />;
}

function Copied({ at, justNow }: { at: Date; justNow: string | undefined }) {
  const texts = useTexts(UI);
  const language = useLanguage();
  const { copy } = useCopy();
  const utc = at.toISOString();
  const { anchor, bubble } = useHint(
    <>
      {exact(at, language)}
      <br />
      {texts.copyUtc}
    </>,
  );
  return (
    <>
      <button
        type="button"
        {...anchor}
        onClick={({ currentTarget }) => copy(utc, currentTarget, texts.copiedUtc)}
        className="rounded-md text-left decoration-dotted underline-offset-4 hover:underline"
      >
        <time aria-live="off" dateTime={utc}>
          <Ago since={at.getTime()} justNow={justNow} />
        </time>
      </button>
      {bubble}
    </>
  );
}

const STEP_MS = 10_000;

export function Ago({ since, justNow }: { since: number; justNow?: string | undefined }) {
  const texts = useTexts(UI);
  const language = useLanguage();
  const now = useNow(STEP_MS);
  // The clock is rounded down to its step, so an event in the current step must not be shown as in the future.
  return relative(since > now && since - now <= STEP_MS ? now : since, now, locale(language), justNow ?? texts.justNow);
}

export function exact(at: Date, language: Language): string {
  return timeFormat(locale(language), {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(at);
}
