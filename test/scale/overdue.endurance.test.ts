// The platform, or the whole deployment, was away for hours: everything is overdue for every number at once.
import { expect, it } from "vitest";
import { CatchUp } from "../../src/domain/spread.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/protocol/units.ts";
import { dice } from "./support/dice.ts";
import { ratesOf, report } from "./support/rates.ts";
import { START, VirtualTime } from "./support/virtual-time.ts";

const NUMBERS = 100_000;
const AWAY_MS = 3 * HOUR_MS;
const BACK = START + AWAY_MS;
/** The platform rings the alarms that it owes within so long. */
const RINGING_MS = 2_000;

/** When each number asks a receiver or D1 for the first time after the outage, and when one of those that came meanwhile leaves. */
function storm(spread: boolean) {
  const random = dice(7);
  const time = new VirtualTime(BACK);
  const begun: number[] = [];
  const delays: number[] = [];
  for (let n = 0; n < NUMBERS; n += 1) {
    const overdue = START + random() * (AWAY_MS - 2 * MINUTE_MS);
    time.at(BACK + random() * RINGING_MS, () => {
      const catchUp = new CatchUp(crypto.randomUUID(), time.now);
      time.at(spread ? catchUp.notBefore(overdue) : time.now, () => begun.push(time.now));
      // Something new for every tenth number while its overdue work waits.
      if (n % 10 !== 0) return;
      time.after(random() * MINUTE_MS, () => {
        const due = time.now;
        time.at(catchUp.notBefore(due), () => delays.push(time.now - due));
      });
    });
  }
  time.runOut();
  return { begun: ratesOf(begun), last: Math.max(...begun.slice(-1)) - BACK, delayed: delays.filter((ms) => ms > 0).length, delays };
}

it("what is overdue for 100,000 numbers begins within a minute, evenly, and nothing new waits for it", () => {
  const before = storm(false);
  const now = storm(true);
  report(`overdue work of ${NUMBERS} numbers after ${AWAY_MS / HOUR_MS} hours away`, {
    "busiest second before": before.begun.busiest,
    "busiest second": now.begun.busiest,
    "times the mean": now.begun.ratio,
    "last one begun after (ms)": now.last,
    "new ones delayed": now.delayed,
  });
  expect(now.begun.count).toBe(NUMBERS);
  expect(now.begun.ratio).toBeLessThanOrEqual(1.3);
  expect(now.begun.busiest).toBeLessThan(before.begun.busiest / 20);
  expect(now.last).toBeLessThanOrEqual(MINUTE_MS + RINGING_MS);
  expect(now.delays).toHaveLength(NUMBERS / 10);
  expect(now.delayed).toBe(0);
});
