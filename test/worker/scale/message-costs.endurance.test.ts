// Rows, alarms, statements, requests and log lines per message and read, compared with the ledger. `npm run bench:cost` reads the output.
import { afterEach, expect, it, vi } from "vitest";
import { type Cost, costOf, furtherDelivery, idle, idleHour, laterOf, reads, TOGETHER, withNumber, wokenInbound } from "./costs.ts";
import { counted, type Counts, writtenBy } from "./counters.ts";
import { LEDGER } from "./ledger.ts";

afterEach(() => vi.useRealTimers());

function expectAtMost(what: keyof typeof LEDGER, counts: Counts): void {
  const cost = costOf(counts);
  console.log(`cost: ${JSON.stringify({ what, cost, tables: writtenBy(counts) })}`);
  const seen = `${what}: ${JSON.stringify({ ...cost, tables: writtenBy(counts), d1: counts.d1.texts })}`;
  for (const [name, most] of Object.entries(LEDGER[what])) expect(cost[name as keyof Cost], `${name} of ${seen}`).toBeLessThanOrEqual(most);
}

it.each([
  ["inbound", (number) => counted(number.inbound)],
  ["woken inbound", wokenInbound],
  ["inbound, two receivers", furtherDelivery],
  ["send", (number) => counted(number.send)],
  ["later, inbound", (number) => laterOf(number, TOGETHER.inbound, number.inbound)],
  ["later, sends", (number) => laterOf(number, TOGETHER.sends, number.send)],
  ["as long, idle", (number) => idle(number)],
  ["idle hour", (number) => idleHour(number)],
] satisfies [keyof typeof LEDGER, Parameters<typeof withNumber<Counts>>[0]][])(
  "%s costs no more than the ledger says",
  async (what, measure) => {
    expectAtMost(what, await withNumber(measure));
  },
);

it("a read costs no more than the ledger says, from the cache or not", async () => {
  const counts = await reads();
  expectAtMost("cached read", counts["cached read"]);
  expectAtMost("uncached read", counts["uncached read"]);
});
