/** A duration in its two largest units, such as "2 days and 23 hours" or "12 minutes". The shortest is one minute. */
export function span(ms: number, locale: string): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  const parts = hours < 24 ? { hour: hours, minute: minutes % 60 } : { day: Math.floor(hours / 24), hour: hours % 24 };
  const named = Object.entries(parts)
    .filter(([, value]) => value > 0)
    .map(([unit, value]) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value));
  return new Intl.ListFormat(locale).format(named);
}
