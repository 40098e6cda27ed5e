/** Returns an axis maximum of at least `most`: 4, 6, or 1, 2 or 5 times a power of ten, so that half of it is a whole number. */
export function niceTop(most: number): number {
  if (most <= 6) return most <= 4 ? 4 : 6;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

/** The parts of a stacked column from the bottom up, in units of `height`. Small counts are at least `least` high, to stay visible. */
export function stacked(values: readonly number[], top: number, height: number, least: number): { from: number; size: number }[] {
  const sizes = values.map((value) => (value === 0 ? 0 : Math.max(least, (value / top) * height)));
  return sizes.map((size, at) => ({ from: sizes.slice(0, at).reduce((sum, each) => sum + each, 0), size }));
}

/** Selects which of `count` periods get an axis label: at most `names`, evenly spaced, always including the last. */
export function namedPeriods(count: number, names: number): number[] {
  const step = Math.max(1, Math.ceil(count / names));
  return Array.from({ length: count }, (_, at) => at).filter((at) => (count - 1 - at) % step === 0);
}
