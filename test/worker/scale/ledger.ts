// Maximum cost of each operation, as counted by `costs.ts`. The counts are exact: lower them by hand after an improvement, and never raise
// one.
import type { Cost } from "./costs.ts";

type Line = Pick<Cost, "written" | "alarms" | "rung" | "d1" | "requests" | "frames" | "lines">;

const line = (written: number, rest: Partial<Line> = {}): Line => ({
  written,
  alarms: 0,
  rung: 0,
  d1: 0,
  requests: 0,
  frames: 0,
  lines: 0,
  ...rest,
});

/**
 * An inbound text and a text sent by the API (acknowledged, delivered, read), with one webhook for all events. `later`: the cost until all
 * expiring data of `TOGETHER` messages is deleted.
 */
export const LEDGER = {
  inbound: line(10, { frames: 1, lines: 1 }),
  "woken inbound": line(10, { alarms: 2, frames: 1, lines: 1 }),
  "inbound, two receivers": line(14, { frames: 1, lines: 2 }),
  send: line(25, { requests: 1, frames: 5, lines: 3 }),
  "later, inbound": line(62, { alarms: 87, rung: 45, d1: 250 }),
  "later, sends": line(74, { alarms: 87, rung: 45, d1: 250 }),
  "as long, idle": line(41, { alarms: 82, rung: 41, d1: 246 }),
  "idle hour": line(0),
  "cached read": line(1, { requests: 1, lines: 1 }),
  "uncached read": line(4, { alarms: 1, rung: 1, requests: 1, lines: 1 }),
} satisfies Record<string, Line>;
