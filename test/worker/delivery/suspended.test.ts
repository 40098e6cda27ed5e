// Deliveries while the owner's account is suspended wait until it ends (docs/operate/personal-data.md, "Suspending an account").
import { beforeEach, expect, it, vi } from "vitest";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import {
  type Connection,
  connection,
  detail,
  freezeTime,
  idOf,
  list,
  must,
  neverRespond,
  received,
  respond204,
  respond500,
  START,
  webhook,
  withWebhook,
} from "./delivery-connection.ts";

beforeEach(() => freezeTime());

const suspend = ({ in: inside, outside }: Connection) =>
  inside(({ deliveries }) => {
    outside.isSuspended = true;
    deliveries.suspend();
  });

async function resume({ in: inside, outside, settle }: Connection): Promise<void> {
  await inside(({ deliveries }) => {
    outside.isSuspended = false;
    deliveries.resume();
  });
  await settle();
}

const bodies = ({ outside }: Connection) => outside.arrivals.map(({ body }) => idOf(body));

it("an event during a suspension is delivered when it ends, even after days and an eviction", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await suspend(fixture);
  await fixture.emit(received());
  await fixture.runUntil(START + 100 * HOUR_MS);
  await fixture.evict();
  await fixture.alarm();
  expect(fixture.outside.arrivals).toEqual([]);
  const waiting = await list(fixture);
  expect(waiting.map(({ status, attempts }) => [status, attempts])).toEqual([["pending", 0]]);
  await resume(fixture);
  expect(bodies(fixture)).toEqual(waiting.map(({ id }) => id));
  expect((await list(fixture)).map(({ status }) => status)).toEqual(["delivered"]);
});

it("an attempt in progress is cancelled by a suspension and does not count", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = neverRespond;
  await fixture.in((object) => object.accept([received()]));
  await suspend(fixture);
  await fixture.settle();
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + HOUR_MS);
  expect(fixture.outside.arrivals).toHaveLength(1);
  await resume(fixture);
  expect(fixture.outside.arrivals).toHaveLength(2);
  const [only] = await list(fixture);
  expect(must(await detail(fixture, only?.id ?? ""))).toMatchObject({ status: "delivered", attempts: 1 });
});

it("a delivery that waits for its retry keeps its schedule through a suspension", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  await suspend(fixture);
  await fixture.runUntil(START + 24 * HOUR_MS);
  expect(fixture.outside.arrivals).toHaveLength(1);
  fixture.outside.answer = respond204;
  await resume(fixture);
  expect(fixture.outside.arrivals).toHaveLength(2);
  expect((await list(fixture)).map(({ status, attempts }) => [status, attempts])).toEqual([["delivered", 2]]);
});

it("failures from before a suspension disable no webhook after it", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  await fixture.runUntil(START + 60 * HOUR_MS);
  await fixture.emit(received());
  await suspend(fixture);
  vi.setSystemTime(START + 80 * HOUR_MS);
  await resume(fixture);
  await fixture.emit(received());
  expect(must(await webhook(fixture, (it) => it.get())).status).toBe("active");
});
