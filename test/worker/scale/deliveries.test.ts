// Rows and alarms of webhook deliveries.
import { beforeEach, expect, it, vi } from "vitest";
import { counted, writtenBy } from "./counters.ts";
import {
  respond204,
  respond500,
  connection,
  endpoint,
  freezeTime,
  received,
  SECOND,
  START,
  withWebhook,
} from "../delivery/delivery-connection.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

it("a delivery that is accepted at once writes three rows, its body included", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await fixture.emit(received());
  vi.setSystemTime(START + SECOND);
  const counts = await counted(() => fixture.emit(received()));
  expect(writtenBy(counts)).toEqual({ delivery: 3 });
});

it("a lone delivery leaves only the daily clean-up alarm, and nothing is written in the next hour", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await fixture.emit(received());
  vi.setSystemTime(START + HOUR_MS);
  const cleaning = await fixture.dueAt();
  expect(cleaning).toBeGreaterThanOrEqual(START + DAY_MS);
  await fixture.emit(received());
  expect(await fixture.dueAt()).toBe(cleaning);
  expect(await fixture.in((object) => object.armed())).toBe(cleaning);
  // An hour without events: no alarm fires and nothing is written.
  const counts = await counted(() => fixture.runUntil(START + 2 * HOUR_MS));
  expect([counts.rows.written, counts.alarms.set, await fixture.in((object) => object.armed())]).toEqual([0, 0, cleaning]);
});

it("the alarm that watches an attempt stays in place for events that follow soon", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await fixture.emit(received());
  vi.setSystemTime(START + SECOND);
  await fixture.emit(received());
  const watch = START + 31 * SECOND;
  expect(await fixture.dueAt()).toBe(watch);
  vi.setSystemTime(START + 20 * SECOND);
  await fixture.emit(received());
  expect(await fixture.dueAt()).toBe(watch);
  await fixture.runUntil(watch);
  expect(await fixture.dueAt()).toBeGreaterThanOrEqual(START + DAY_MS);
});

it("a body that several receivers get is stored once", async () => {
  const fixture = connection();
  const urls = ["https://a.example.com/", "https://b.example.com/", "https://c.example.com/"];
  await fixture.in(({ deliveries }) => deliveries.account.replace(urls.map((url) => endpoint({ url }))));
  await fixture.emit(received());
  vi.setSystemTime(START + SECOND);
  const counts = await counted(() => fixture.emit(received()));
  expect(writtenBy(counts)).toEqual({ delivery: 9, body: 1 });
});

it("a further attempt writes four rows: its claim and its end, and where it stands by due time", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  vi.setSystemTime(START + 5 * SECOND);
  const { delivery = 0 } = writtenBy(await counted(fixture.alarm));
  expect(delivery).toBeLessThanOrEqual(4);
  fixture.outside.answer = respond204;
});
