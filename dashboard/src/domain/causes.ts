/** The catch-all for rarer causes. */
export const OTHER = "other";

type Counted = { errors_by_code: Readonly<Record<string, number>> };

/** Returns up to `most` causes from all periods, starting with the most frequent. If there are more, the last one is `OTHER`. */
export function causesOf(periods: readonly Counted[], most: number): string[] {
  const sums = new Map<string, number>();
  for (const { errors_by_code: errors } of periods)
    for (const [code, count] of Object.entries(errors)) sums.set(code, (sums.get(code) ?? 0) + count);
  const codes = [...sums].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([code]) => code);
  return codes.length <= most ? codes : [...codes.slice(0, most - 1), OTHER];
}

export function countsOf({ errors_by_code: errors }: Counted, causes: readonly string[]): Record<string, number> {
  const counts = Object.fromEntries(causes.map((cause) => [cause, 0]));
  for (const [code, count] of Object.entries(errors)) {
    const cause = causes.includes(code) ? code : OTHER;
    counts[cause] = (counts[cause] ?? 0) + count;
  }
  return counts;
}
