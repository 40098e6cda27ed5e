// Send times for waiting messages, in the reader's time zone. Times are Unix ms.

/** Suggests today at 18:00 and tomorrow at 9:00. `today` is null after 18:00. */
export function usualTimes(now: number): { today: number | null; tomorrow: number } {
  const today = new Date(now).setHours(18, 0, 0, 0);
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  return { today: today > now ? today : null, tomorrow: tomorrow.setHours(9, 0, 0, 0) };
}

export function nextHour(now: number): number {
  return new Date(now).setHours(new Date(now).getHours() + 1, 0, 0, 0);
}

/** The value of a `datetime-local` control, such as "2030-01-15T09:00". */
export function localValue(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = [String(time.getFullYear()).padStart(4, "0"), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

export function timeIn(value: string): number | null {
  const at = new Date(value).getTime();
  return Number.isNaN(at) ? null : at;
}
