// bench/ledger.json: for each bench the floor of each ratio. A floor is what the ratio was when it was last improved, less the noise of a
// busy machine, so that a loss is seen when it comes.
import type { Figures, ReportLine } from "./report.ts";

export type Ledger = Readonly<Record<string, Figures>>;

/** One line for each ratio that is below its floor or was not measured. */
export function losses(ledger: Ledger, reports: ReadonlyMap<string, ReportLine | null>): string[] {
  return Object.entries(ledger).flatMap(([bench, floors]) => {
    const report = reports.get(bench) ?? null;
    if (report === null) return [`${bench}: no report`];
    return Object.entries(floors).flatMap(([name, floor]) => {
      const measured = report.ratios[name];
      if (measured === undefined) return [`${bench} ${name}: not measured, floor ${floor}`];
      return measured >= floor ? [] : [`${bench} ${name}: ${measured}, floor ${floor}`];
    });
  });
}
