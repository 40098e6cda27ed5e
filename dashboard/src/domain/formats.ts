// Caches formatters, because creating one takes longer than using it a hundred times.

function once<O extends object, F>(make: (locale: string, options: O) => F): (locale: string, options: O) => F {
  const made = new Map<string, F>();
  return (locale, options) => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
}

export const dateFormat = once((locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
/** Shows "9:05 AM" in English and "09:05" in Portuguese. */
export const timeFormat = (locale: string, options: Intl.DateTimeFormatOptions = {}) =>
  dateFormat(locale, { hour: locale === "en" ? "numeric" : "2-digit", minute: "2-digit", ...options });
const agoFormat = once((locale: string, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options));

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** Times are Unix ms. Shows the date if the time is 30 days away or more. */
export function relative(at: number, now: number, locale: string, justNow: string): string {
  const away = at - now;
  // Shows "now" for times slightly in the future, because the page's clock may be up to ten seconds behind.
  if (away > -5_000 && away < 10_000) return justNow;
  if (Math.abs(away) >= 30 * 86_400_000) return dateFormat(locale, { dateStyle: "medium" }).format(at);
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(away) >= ms) ?? UNITS[3];
  // Rounds days in the future, so that "in 3 days" does not become "in 2 days" a second later.
  const count = unit === "day" && away > 0 ? Math.round(away / size) : Math.trunc(away / size);
  return agoFormat(locale, { numeric: "always" }).format(count, unit);
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
