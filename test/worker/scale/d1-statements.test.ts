// D1 statements per number. All numbers share D1, so frequent or simultaneous events must not use it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { pool } from "../fakes/bridge.ts";
import { event } from "../fakes/connection.ts";
import { idleHour } from "./costs.ts";
import { counted, type Counts } from "./counters.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

let number: CountedNumber;

beforeEach(async () => {
  number = await countedNumber();
  await number.inbound();
});
afterEach(() => number.end());

/** Prints the statements beside those of the previous release. */
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

it("a session that redials after a deploy makes no D1 queries", async () => {
  const { connection, session } = number;
  await number.sleep();
  const redialled = async () => {
    session.drop();
    await session.redial();
    await connection.after(30_000);
  };
  expectStatements("redial", await counted(redialled), 5);
});

it("a session that moves to another bridge is told to D1 once", async () => {
  const { connection } = number;
  const second = await connection.bridge();
  const moved = async () => {
    const moving = pool().move(connection.uuid, second.id);
    const next = await second.open(connection.uuid);
    await next.commit([event.open()]);
    await moving;
    await connection.after(60_000);
  };
  expectStatements("move, within 60 s", await counted(moved), 9, 1);
});

it("a drop that ends within 30 s asks D1 nothing", async () => {
  const { connection, session } = number;
  const dropped = async () => {
    await session.commit([event.closed("lost", 428)]);
    await connection.after(20_000);
    await session.commit([event.open()]);
    await connection.after(60_000);
  };
  expectStatements("drop and return within 30 s", await counted(dropped), 2);
});

it("an hour without anything rings no alarm, unless it is the hour of the daily look", async () => {
  const { alarms, d1, rows } = await idleHour(number, 26 * HOUR_MS);
  console.log(`idle hour: ${alarms.rung} alarms, ${d1.statements} D1 statements, ${rows.written} rows written`);
  expect([alarms.rung, d1.statements, rows.written]).toEqual([0, 0, 0]);
});
