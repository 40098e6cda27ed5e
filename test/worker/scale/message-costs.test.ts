// Rows, alarms, statements, requests and log lines of one message, against the ledger.
import { afterEach, beforeEach, expect, it } from "vitest";
import { counted, type Counts, writtenBy } from "./counters.ts";
import { type Cost, LEDGER } from "./ledger.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

let number: CountedNumber;

beforeEach(async () => {
  number = await countedNumber();
  // The first message of a chat, and the first of an hour, cost more.
  await number.inbound();
  await number.send();
});
afterEach(() => number.end());

const costOf = ({ rows, alarms, d1, requests, lines }: Counts): Cost => ({
  written: rows.written,
  alarms: alarms.set + alarms.rung,
  d1: d1.statements,
  requests: sum(requests.calls),
  frames: requests.frames,
  lines: sum(lines),
});

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0);

function expectAtMost(what: keyof typeof LEDGER, counts: Counts): void {
  const cost = costOf(counts);
  const seen = `${what}: ${JSON.stringify({ ...cost, tables: writtenBy(counts), d1: counts.d1.texts })}`;
  for (const [name, most] of Object.entries(LEDGER[what])) expect(cost[name as keyof Cost], `${name} of ${seen}`).toBeLessThanOrEqual(most);
}

it("an inbound text costs no more than the ledger says", async () => {
  expectAtMost("inbound", await counted(number.inbound));
});

it("nor one that wakes the object, which nothing wakes again within a minute", async () => {
  await number.sleep();
  const counts = await counted(async () => {
    await number.inbound();
    await number.minute();
  });
  expect(counts.alarms.rung).toBe(0);
  expectAtMost("woken inbound", counts);
});

it("nor a send", async () => {
  expectAtMost("send", await counted(number.send));
});
