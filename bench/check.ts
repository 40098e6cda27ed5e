// Runs each bench in the ledger briefly, and fails if a ratio is below its floor twice. `-- send start` runs only these two.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type OtherWork, otherWork } from "./support/cpu-time.ts";
import { better, flooredFor, type Ledger, losses } from "./support/ledger.ts";
import { reportIn, type ReportLine } from "./support/report.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Timeout for a hung bench; each takes a minute or two on a quiet machine. */
const BENCH_TIMEOUT_MS = 10 * 60_000;

const ledger = JSON.parse(readFileSync(fileOf("ledger.json"), "utf8")) as Ledger;
const named = process.argv.slice(2);
const chosen = Object.fromEntries(Object.entries(ledger).filter(([bench]) => named.length === 0 || named.includes(bench)));

const lost: string[] = [];
for (const [bench, floors] of Object.entries(chosen)) {
  const others = otherWork();
  const below = (report: ReportLine | null) => losses({ [bench]: flooredFor(floors, others.share()) }, new Map([[bench, report]]));
  const first = await run(bench, others);
  if (below(first).length > 0) lost.push(...below(better(first, await run(bench, others))));
  others.stop();
}
process.stdout.write(
  lost.length === 0 ? "every ratio is at or above its floor\n" : `below the ledger (bench/ledger.json):\n  ${lost.join("\n  ")}\n`,
);
process.exit(lost.length === 0 ? 0 : 1);

async function run(bench: string, others: OtherWork): Promise<ReportLine | null> {
  const startedAt = performance.now();
  const { stdout, stderr } = await outputOf(["--disable-warning=ExperimentalWarning", fileOf(`${bench}.ts`), "--json", "--short"]);
  const report = reportIn(stdout);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(`${bench} (${seconds} s, beside other work on ${(100 * others.share()).toFixed(0)} %): ${JSON.stringify(report)}\n`);
  if (report === null) process.stdout.write(`${stdout}\n${stderr}\n`);
  return report;
}

function outputOf(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: BENCH_TIMEOUT_MS, maxBuffer: 1 << 26 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}
