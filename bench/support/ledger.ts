// bench/ledger.json has the floor for each bench's ratios: the ratio at its last improvement, minus the noise of a busy machine. The ledger
// therefore shows a regression when it happens.
import type { Figures, ReportLine } from "./report.ts";

export type Ledger = Readonly<Record<string, Figures>>;

/** If other work takes more than this share of the CPUs, ratios are compared with their floor times BUSY_TOLERANCE. */
const BUSY_SHARE = 0.25;
const BUSY_TOLERANCE = 0.6;
/** Ratios that no other work can affect. */
const EXACT: ReadonlySet<string> = new Set(["gzip"]);

/** The floors for a run while other work takes this share of the CPUs. NaN: unknown, so nothing is tolerated. */
export function flooredFor(floors: Figures, otherShare: number): Figures {
  if (!(otherShare > BUSY_SHARE)) return floors;
  return Object.fromEntries(
    Object.entries(floors).map(([name, floor]) => [name, EXACT.has(name) ? floor : Number((floor * BUSY_TOLERANCE).toPrecision(3))]),
  );
}

/** Each ratio is measured twice and the better one kept: a loss counts only if both measurements show it. */
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
