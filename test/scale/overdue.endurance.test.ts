// All numbers have overdue work at once, because the platform or the whole deployment was down for hours.
import { expect, it } from "vitest";
import { CatchUp } from "@gateway/domain/catch-up.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { dice } from "./support/dice.ts";
import { ratesOf, report } from "./support/rates.ts";
import { START, VirtualTime } from "./support/virtual-time.ts";

const NUMBERS = 100_000;
const AWAY_MS = 3 * HOUR_MS;
const BACK = START + AWAY_MS;
/** The platform fires its overdue alarms within this time. */
const RINGING_MS = 2_000;

/** An idle object is evicted after this time, so its decision must be stored. */
const EVICTED_AFTER_MS = 10_000;

/** When each number first calls a receiver or D1 after the outage, and how long events that arrived meanwhile were delayed. */
function storm(spread: boolean) {
  const random = dice(7);
  const time = new VirtualTime(BACK);
  const begun: number[] = [];
  const delays: number[] = [];
  let alarms = 0;
  for (let n = 0; n < NUMBERS; n += 1) {
    const overdue = START + random() * (AWAY_MS - 2 * MINUTE_MS);
    const uuid = crypto.randomUUID();
    let stored: number | null = null;
    const found = { get: () => stored, set: (at: number) => void (stored = at) };
    let startedAt = 0;
    let catchUp: CatchUp | null = null;
    const awake = (): CatchUp => {
      if (catchUp === null || time.now - startedAt > EVICTED_AFTER_MS) {
        startedAt = time.now;
        catchUp = new CatchUp(uuid, time.now, found);
      }
      return catchUp;
    };
    const alarm = (): void => {
      alarms += 1;
      const begins = spread ? awake().notBefore(overdue) : time.now;
      if (begins <= time.now) begun.push(time.now);
      else time.at(begins, alarm);
    };
    time.at(BACK + random() * RINGING_MS, () => {
      alarm();
      // A new event for every tenth number while its overdue work waits.
      if (n % 10 !== 0) return;
      time.after(random() * MINUTE_MS, () => {
        const due = time.now;
        time.at(awake().notBefore(due), () => delays.push(time.now - due));
      });
    });
  }
  // A number that never starts its work would fire its alarm forever.
  time.runUntil(BACK + 10 * MINUTE_MS);
  const last = Math.max(...begun.slice(-1)) - BACK;
  return { begun: ratesOf(begun), last, delayed: delays.filter((ms) => ms > 0).length, delays, alarms };
}

it("overdue work of 100,000 numbers starts evenly within a minute, and new work does not wait for it", () => {
  const before = storm(false);
  const now = storm(true);
  report(`overdue work of ${NUMBERS} numbers after ${AWAY_MS / HOUR_MS} hours away`, {
    "busiest second before": before.begun.busiest,
    "busiest second": now.begun.busiest,
    "times the mean": now.begun.ratio,
    "last one begun after (ms)": now.last,
    "new ones delayed": now.delayed,
    "alarms of each": now.alarms / NUMBERS,
  });
  expect(now.begun.count).toBe(NUMBERS);
  expect(now.begun.ratio).toBeLessThanOrEqual(1.3);
  expect(now.begun.busiest).toBeLessThan(before.begun.busiest / 20);
  expect(now.last).toBeLessThanOrEqual(MINUTE_MS + RINGING_MS);
  expect(now.delays).toHaveLength(NUMBERS / 10);
  expect(now.delayed).toBe(0);
  expect(now.alarms).toBeLessThanOrEqual(2 * NUMBERS);
});
