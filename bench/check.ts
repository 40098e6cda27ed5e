// Runs each bench of the ledger briefly, and fails if a ratio is below its floor twice. `-- send start` runs only these two.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { better, type Ledger, losses } from "./support/ledger.ts";
import { reportIn, type ReportLine } from "./support/report.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Timeout for a hung bench; each takes a minute or two on a quiet machine. */
const BENCH_TIMEOUT_MS = 10 * 60_000;

const ledger = JSON.parse(readFileSync(fileOf("ledger.json"), "utf8")) as Ledger;
const named = process.argv.slice(2);
const chosen = Object.fromEntries(Object.entries(ledger).filter(([bench]) => named.length === 0 || named.includes(bench)));

const reports = new Map<string, ReportLine | null>();
for (const [bench, floors] of Object.entries(chosen)) {
  const first = run(bench);
  const isBelow = losses({ [bench]: floors }, new Map([[bench, first]])).length > 0;
  reports.set(bench, isBelow ? better(first, run(bench)) : first);
}

const lost = losses(chosen, reports);
process.stdout.write(
  lost.length === 0 ? "every ratio is at or above its floor\n" : `below the ledger (bench/ledger.json):\n  ${lost.join("\n  ")}\n`,
);
process.exit(lost.length === 0 ? 0 : 1);

function run(bench: string): ReportLine | null {
  const startedAt = performance.now();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", fileOf(`${bench}.ts`), "--json", "--short"],
    { encoding: "utf8", timeout: BENCH_TIMEOUT_MS, maxBuffer: 1 << 26 },
  );
  const report = reportIn(stdout);
  process.stdout.write(`${bench} (${((performance.now() - startedAt) / 1_000).toFixed(0)} s): ${JSON.stringify(report)}\n`);
  if (report === null) process.stdout.write(`${stdout}\n${stderr}\n`);
  return report;
}
