// How long ago, or how soon, in the words of a locale.

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** Times are Unix ms. `now` is what is said below five seconds; from 30 days on it is the date. */
export function relative(at: number, now: number, locale: string, justNow: string): string {
  const away = at - now;
  if (Math.abs(away) < 5_000) return justNow;
  if (Math.abs(away) >= 30 * 86_400_000) return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(at);
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(away) >= ms) ?? UNITS[3];
  return new Intl.RelativeTimeFormat(locale, { numeric: "always" }).format(Math.trunc(away / size), unit);
}
