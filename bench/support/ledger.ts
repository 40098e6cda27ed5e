// bench/ledger.json has the floor of each bench's ratios. A floor is the ratio at its last improvement minus the noise of a busy machine,
// so regressions are noticed when they happen.
import type { Figures, ReportLine } from "./report.ts";

export type Ledger = Readonly<Record<string, Figures>>;

/** While other work takes more than this share of the processors, ratios are judged by BUSY_TOLERANCE of their floor. */
const BUSY_SHARE = 0.25;
const BUSY_TOLERANCE = 0.6;
/** Ratios that no other work can change. */
const EXACT: ReadonlySet<string> = new Set(["gzip"]);

/** The floors for a run beside other work that took this share of the processors. NaN: not known, so nothing is tolerated. */
export function flooredFor(floors: Figures, otherShare: number): Figures {
  if (!(otherShare > BUSY_SHARE)) return floors;
  return Object.fromEntries(
    Object.entries(floors).map(([name, floor]) => [name, EXACT.has(name) ? floor : Number((floor * BUSY_TOLERANCE).toPrecision(3))]),
  );
}

/** Each ratio's better measurement: a loss counts when it is seen twice. */
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
