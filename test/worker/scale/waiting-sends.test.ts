// Rows and alarms of waiting sends (docs/internals/waiting-sends.md, "Cost").
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { taken } from "../fakes/messages.ts";
import { counted, type Counts, uncounted, writtenBy } from "./counters.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

let number: CountedNumber;

beforeEach(async () => {
  number = await countedNumber();
  await number.inbound();
  await number.send();
});
afterEach(async () => {
  await number.end();
  vi.useRealTimers();
});

const idOf = (n: number) => `3EB0${String(n).padStart(18, "0")}`;
const person = (n: number) => `551190000${String(n).padStart(4, "0")}`;

const later = (n: number, at: number, to = person(n)) =>
  number.connection.send(`${n}`, { delivery: { at, until: null }, message_id: idOf(n), to });

const waitingRows = ({ tables }: Counts) => tables["waiting_send"] ?? { read: 0, written: 0 };
const costOf = (counts: Counts) => ({ written: waitingRows(counts).written, alarms: counts.alarms.set, rung: counts.alarms.rung });

it("a waiting send costs a fixed number of rows and alarms, and other sends cost it none", async () => {
  // No other alarm is due within this hour: the daily reread comes at a time that depends on the UUID.
  const nextReread = gridOf(number.connection.uuid, DAY_MS)(Date.now() + 3 * HOUR_MS);
  const isNear = nextReread <= Date.now() + 5 * HOUR_MS;
  await number.connection.after(isNear ? 6 * HOUR_MS : 3 * HOUR_MS);
  const at = Date.now() + HOUR_MS;
  const accepted = await counted(() => later(1, at));
  const second = await counted(() => later(2, at));
  const changed = await counted(() => number.connection.ask("waiting.change", { message_id: idOf(2), text: "olá" }));
  const cancelled = await counted(() => number.connection.ask("waiting.cancel", { message_id: idOf(2), chat_id: null }));
  const left = await counted(async () => {
    const leaving = taken(number.session);
    await number.connection.after(HOUR_MS, { kept: true });
    await leaving;
    await number.settled(1);
  });
  const without = await counted(number.send);
  const costs = { accepted: costOf(accepted), second: costOf(second), changed: costOf(changed), cancelled: costOf(cancelled) };
  console.info(`waiting sends cost ${JSON.stringify({ ...costs, left: costOf(left), without: costOf(without) })}`);
  console.info(`one that left wrote ${JSON.stringify(writtenBy(left))}`);
  expect(costs).toEqual({
    accepted: { written: 2, alarms: 1, rung: 0 },
    second: { written: 2, alarms: 0, rung: 0 },
    changed: { written: 3, alarms: 0, rung: 0 },
    cancelled: { written: 1, alarms: 0, rung: 0 },
  });
  expect([costOf(left).written, costOf(left).rung]).toEqual([1, 1]);
  expect(costOf(left).alarms).toBeLessThanOrEqual(3);
  expect(waitingRows(without)).toEqual({ read: 0, written: 0 });
});

it("150 sends that are due at once read at most ten rows each", async () => {
  const DUE = 150;
  const at = Date.now() + HOUR_MS;
  for (let n = 1; n <= DUE; n += 1) expect(await later(n, at, person(10 + (n % 50)))).toMatchObject({ ok: true });
  const counts = await counted(async () => {
    const leaving = (async () => {
      for (let n = 1; n <= DUE; n += 1) await taken(number.session);
    })();
    await number.connection.after(HOUR_MS, { kept: true });
    await leaving;
    await vi.waitFor(async () => {
      const rows = await number.connection.sql<{ count: number }>("SELECT count(*) AS count FROM waiting_send");
      if (uncounted(() => rows[0]?.count) !== 0) throw new Error("some are still waiting");
    });
  });
  console.info(`${DUE} sends due at once: ${JSON.stringify(waitingRows(counts))}`);
  expect(waitingRows(counts).read).toBeLessThanOrEqual(10 * DUE);
});
