// The result of a bench, for programs: with `--json`, one line that begins with `{"bench":`. `--short` is for `npm run bench:check`: fewer
// rounds of the same work.
const isJson = process.argv.includes("--json");

export const isShort = process.argv.includes("--short");

export type Figures = Readonly<Record<string, number>>;
export type ReportLine = { bench: string; ratios: Figures; figures: Figures };

const ratios: Record<string, number> = {};
const figures: Record<string, number> = {};

/** A ratio to the baseline of the same run: the higher, the better. bench/ledger.json holds its floor. */
export function ratio(name: string, value: number): void {
  ratios[name] = rounded(value);
}

/** Figures that depend on the machine, as context of the ratios. The unit is part of the name: `worker_ms`. */
export function figure(name: string, value: number): void {
  figures[name] = rounded(value);
}

/** Call it once, when the bench has measured everything. */
export function endReport(bench: string): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ bench, ratios, figures } satisfies ReportLine)}\n`);
}

/** The report among a bench's output; null if it printed none. */
export function reportIn(output: string): ReportLine | null {
  const line = output.split("\n").findLast((text) => text.startsWith('{"bench":'));
  return line === undefined ? null : (JSON.parse(line) as ReportLine);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
