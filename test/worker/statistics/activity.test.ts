// A connection's activity over its last hours.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { taken, theirs } from "../fakes/messages.ts";

const TEN = Date.UTC(2035, 0, 1, 10);

beforeEach(() => {
  vi.useFakeTimers({ now: TEN, toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
});

async function hoursOf(connection: TestConnection, hours: number) {
  const answer = await connection.ask("instance.activity", { hours });
  if (!answer.ok) throw new Error(answer.code);
  return answer.value.hours.map(({ at, minutes, ...counted }) => ({
    at: (at - TEN) / HOUR_MS,
    ...Object.fromEntries(Object.entries(minutes).filter(([, time]) => time > 0)),
    ...Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0)),
  }));
}

it("the activity tells how long the number was in each status, and what it sent and received", async () => {
  const { connection, session } = await TestConnection.connected();
  vi.setSystemTime(TEN + 20 * MINUTE_MS);
  await session.commit([theirs("A"), theirs("B")]);
  const sending = connection.send("hello");
  await taken(session);
  await sending;
  vi.setSystemTime(TEN + 90 * MINUTE_MS);
  await session.commit([event.closed("logged_out")]);
  await connection.crash();
  vi.setSystemTime(TEN + 100 * MINUTE_MS);
  expect(await hoursOf(connection, 3)).toEqual([
    { at: -1 },
    { at: 0, connected: 60, sent: 1, received: 2 },
    { at: 1, connected: 30, disconnected: 10 },
  ]);
});

it("activity uses at most one row per hour, and drops rows older than 7 days except the last one", async () => {
  const { connection, session } = await TestConnection.connected();
  const rows = () => connection.sql<{ hour: number }>("SELECT hour FROM status_hour ORDER BY hour");
  expect(await rows()).toHaveLength(1);
  for (const hours of [3, 5]) {
    vi.setSystemTime(TEN + hours * HOUR_MS);
    await session.commit([event.closed("lost")]);
    await session.commit([event.open()]);
  }
  expect((await rows()).map(({ hour }) => (hour - TEN) / HOUR_MS)).toEqual([0, 3, 5]);
  vi.setSystemTime(TEN + 8 * DAY_MS);
  await session.commit([event.closed("logged_out")]);
  expect((await rows()).map(({ hour }) => (hour - TEN) / HOUR_MS)).toEqual([5, 8 * 24]);
  expect((await hoursOf(connection, 168)).filter((hour) => "connected" in hour)).toHaveLength(167);
});

it("the activity counts nothing twice when the change is rolled back", async () => {
  const { connection, session } = await TestConnection.connected();
  vi.setSystemTime(TEN + 10 * MINUTE_MS);
  await connection.sql("CREATE TRIGGER full BEFORE UPDATE ON progress BEGIN SELECT raise(ABORT, 'full'); END");
  session.put([event.closed("logged_out")]);
  await session.frames.closed;
  await connection.sql("DROP TRIGGER full");
  vi.setSystemTime(TEN + 20 * MINUTE_MS);
  const [hour] = await hoursOf(connection, 1);
  expect(hour).toMatchObject({ connected: 20 });
  expect(hour).not.toHaveProperty("disconnected");
});
