// A bench's machine-readable result: with `--json`, one line that starts with `{"bench":`. `--short`, for `npm run bench:check`, runs fewer
// rounds of the same work.
const isJson = process.argv.includes("--json");

export const isShort = process.argv.includes("--short");

export type Figures = Readonly<Record<string, number>>;
export type ReportLine = { bench: string; ratios: Figures; figures: Figures };

const ratios: Record<string, number> = {};
const figures: Record<string, number> = {};

/** A ratio to the same run's baseline; higher is better. bench/ledger.json has its floor. */
export function ratio(name: string, value: number): void {
  ratios[name] = rounded(value);
}

/** Machine-dependent figures, as context for the ratios. The name includes the unit: `worker_ms`. */
export function figure(name: string, value: number): void {
  figures[name] = rounded(value);
}

/** Call once, after all measurements. */
export function endReport(bench: string): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ bench, ratios, figures } satisfies ReportLine)}\n`);
}

/** Returns the report in a bench's output, or null if there is none. */
export function reportIn(output: string): ReportLine | null {
  const line = output.split("\n").findLast((text) => text.startsWith('{"bench":'));
  return line === undefined ? null : (JSON.parse(line) as ReportLine);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
