// `npm run bench:check` fails for a ratio that is below its floor or was not measured.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { better, flooredFor, type Ledger, losses } from "#root/bench/support/ledger.ts";
import { reportIn } from "#root/bench/support/report.ts";

const LEDGER: Ledger = { send: { rate_1: 0.5, rate_16: 0.6 }, start: { gzip: 0.7 } };
const report = (bench: string, ratios: Record<string, number>) => ({ bench, ratios, figures: {} });

it("a ratio at its floor counts as no loss", () => {
  const reports = new Map([
    ["send", report("send", { rate_1: 0.5, rate_16: 0.9 })],
    ["start", report("start", { gzip: 0.71 })],
  ]);
  expect(losses(LEDGER, reports)).toEqual([]);
});

it("a ratio below its floor, a missing one and a bench without a report count as losses", () => {
  expect(losses(LEDGER, new Map([["send", report("send", { rate_1: 0.49 })]]))).toEqual([
    "send rate_1: 0.49, floor 0.5",
    "send rate_16: not measured, floor 0.6",
    "start: no report",
  ]);
});

it("the better of two measurements counts, ratio by ratio", () => {
  const [one, other] = [report("send", { rate_1: 0.4, rate_16: 0.7 }), report("send", { rate_1: 0.5, rate_16: 0.6 })];
  expect(better(one, other)).toEqual(report("send", { rate_1: 0.5, rate_16: 0.7 }));
  expect([better(one, null), better(null, one), better(null, null)]).toEqual([one, one, null]);
});

it("floors are lower beside much other work, except those that other work cannot affect", () => {
  const floors = { rate_1: 0.5, gzip: 0.7 };
  expect(flooredFor(floors, 0.5)).toEqual({ rate_1: 0.3, gzip: 0.7 });
  expect([0, 0.25, Number.NaN].map((share) => flooredFor(floors, share))).toEqual([floors, floors, floors]);
});

it("the last report among other output is the one that counts", () => {
  const line = report("send", { rate_1: 0.5 });
  expect(reportIn(`started\n${JSON.stringify(report("send", {}))}\n${JSON.stringify(line)}\nended\n`)).toEqual(line);
  expect(reportIn("started\n")).toBeNull();
});

it("each bench of the ledger exists and reports under its own name", () => {
  const ledger = JSON.parse(readFileSync(new URL("../../../bench/ledger.json", import.meta.url), "utf8")) as Ledger;
  for (const [bench, floors] of Object.entries(ledger)) {
    const source = readFileSync(new URL(`../../../bench/${bench}.ts`, import.meta.url), "utf8");
    expect(source).toContain(`endReport("${bench}")`);
    for (const [name, floor] of Object.entries(floors)) expect([name, floor > 0 && floor <= 2]).toEqual([name, true]);
  }
});
