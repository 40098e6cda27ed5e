// bench/ledger.json has the floor of each bench's ratios. A floor is the ratio at its last improvement minus the noise of a busy machine,
// so regressions are noticed when they happen.
import type { Figures, ReportLine } from "./report.ts";

export type Ledger = Readonly<Record<string, Figures>>;

/** Each ratio's better measurement: other work on the machine only makes a ratio worse. */
export function better(one: ReportLine | null, other: ReportLine | null): ReportLine | null {
  if (one === null || other === null) return one ?? other;
  const ratios = Object.fromEntries(
    Object.entries({ ...one.ratios, ...other.ratios }).map(([name, value]) => [name, Math.max(value, one.ratios[name] ?? value)]),
  );
  return { ...other, ratios };
}

/** One line per ratio that is below its floor or was not measured. */
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
