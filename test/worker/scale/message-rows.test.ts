// Rows by table of an inbound text and of a sent text up to its last receipt. Deliveries are counted elsewhere.
import { afterEach, beforeEach, expect, it } from "vitest";
import { counted, type Counts, writtenBy } from "./counters.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

const DELIVERIES: ReadonlySet<string> = new Set(["delivery", "body", "endpoint"]);

let number: CountedNumber;

beforeEach(async () => {
  number = await countedNumber();
  // The first message of a chat or an hour costs more.
  await number.inbound();
  await number.send();
});
afterEach(() => number.end());

const rowsOf = (counts: Counts) => Object.fromEntries(Object.entries(writtenBy(counts)).filter(([table]) => !DELIVERIES.has(table)));

// An index entry counts as a row. If a figure falls, update it here.
it("an inbound text writes these rows", async () => {
  expect(rowsOf(await counted(number.inbound))).toEqual({ chats: 2, messages: 4, progress: 1 });
});

it("a send writes these rows", async () => {
  expect(rowsOf(await counted(number.send))).toEqual({ chats: 2, messages: 6, outbox: 4, progress: 4 });
});

it("sixteen inbound texts write one row more, of what the bridge must be able to repeat", async () => {
  const sixteen = await counted(async () => {
    for (let count = 0; count < 16; count += 1) await number.inbound();
  });
  expect(rowsOf(sixteen)).toEqual({ chats: 32, cold_page: 1, messages: 64, progress: 16 });
});
