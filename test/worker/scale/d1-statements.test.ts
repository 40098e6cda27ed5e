// What a number asks of D1, which all numbers share: nothing for what happens often or to many at once.
import { afterEach, beforeEach, expect, it } from "vitest";
import { counted, type Counts } from "./counters.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

let number: CountedNumber;

beforeEach(async () => {
  number = await countedNumber();
  await number.inbound();
});
afterEach(() => number.end());

/** Prints what was asked beside what it was in the release before. */
function expectStatements(what: string, { d1 }: Counts, before: number, most = 0): void {
  console.log(`D1 statements, ${what}: ${d1.statements} (before: ${before})`);
  expect(d1.statements, `${what}: ${d1.texts.join("; ")}`).toBeLessThanOrEqual(most);
}

it("a start of its object asks D1 nothing", async () => {
  await number.sleep();
  expectStatements("wake", await counted(() => number.connection.status()), 6);
});

it("a message that comes alone asks D1 nothing, until its hour is counted", async () => {
  await number.sleep();
  expectStatements(
    "lone inbound",
    await counted(async () => {
      await number.inbound();
      await number.connection.after(30_000);
    }),
    8,
  );
});
