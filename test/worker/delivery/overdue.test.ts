// After a platform outage, overdue work starts at the connection's own time and does not delay new work.
import { beforeEach, expect, it, vi } from "vitest";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import {
  type Connection,
  connection,
  endpoint,
  freezeTime,
  idOf,
  list,
  neverRespond,
  received,
  respond204,
  respond500,
  START,
  withWebhook,
} from "./delivery-connection.ts";

/** Hours after the retry was due. */
const BACK = START + 3 * HOUR_MS;

beforeEach(() => freezeTime());

const sent = (fixture: Connection) => fixture.outside.arrivals.map(({ body }) => idOf(body));

/** A failed delivery with an overdue retry in an object that starts at `BACK`. Returns its id and earliest start. */
async function afterOutage(fixture: Connection): Promise<{ id: string; begins: number }> {
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  const [id = ""] = sent(fixture);
  await fixture.evict();
  fixture.outside.answer = respond204;
  fixture.outside.arrivals.length = 0;
  vi.setSystemTime(BACK);
  return { id, begins: (await fixture.dueAt()) ?? 0 };
}

/** A connection whose UUID puts the start of its overdue work in the middle of the minute. */
const middle = () => connection(undefined, `0000${(30_000).toString(16)}${crypto.randomUUID().slice(8)}`);

it("an overdue retry starts at the connection's own time, and a new event leaves at once", async () => {
  const fixture = middle();
  await withWebhook(fixture);
  const { id, begins } = await afterOutage(fixture);
  expect(begins).toBe(BACK + MINUTE_MS / 2);
  await fixture.alarm();
  expect(sent(fixture)).toEqual([]);
  await fixture.emit(received());
  const [fresh = ""] = sent(fixture);
  expect([sent(fixture).length, fresh === id]).toEqual([1, false]);
  await fixture.runUntil(begins);
  expect(sent(fixture)).toEqual([fresh, id]);
  expect((await list(fixture)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
});

it("an overdue retry starts at the connection's own time, and not later, if the object is evicted before", async () => {
  const fixture = middle();
  await withWebhook(fixture);
  const { id, begins } = await afterOutage(fixture);
  await fixture.evict();
  vi.setSystemTime(BACK + 11_000);
  expect(await fixture.dueAt()).toBe(begins);
  await fixture.evict();
  vi.setSystemTime(begins + 5);
  await fixture.alarm();
  expect(sent(fixture)).toEqual([id]);
});

it("a first attempt interrupted by an outage starts at the connection's own time too", async () => {
  const fixture = middle();
  await withWebhook(fixture);
  fixture.outside.answer = neverRespond;
  await fixture.emit(received());
  const [id = ""] = sent(fixture);
  await fixture.crash();
  fixture.outside.answer = respond204;
  fixture.outside.arrivals.length = 0;
  // The orphan is due within seconds of this start; the next outage begins earlier.
  await fixture.dueAt();
  await fixture.evict();
  vi.setSystemTime(BACK);
  const begins = (await fixture.dueAt()) ?? 0;
  await fixture.evict();
  vi.setSystemTime(begins + 5);
  await fixture.alarm();
  expect(sent(fixture)).toEqual([id]);
});

it("a new delivery is retried when due while overdue work still waits", async () => {
  const fixture = middle();
  await withWebhook(fixture);
  const { begins } = await afterOutage(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  const [fresh = ""] = sent(fixture);
  fixture.outside.answer = respond204;
  await fixture.runUntil(BACK + 5_000);
  expect(sent(fixture)).toEqual([fresh, fresh]);
  expect(await fixture.dueAt()).toBe(begins);
});

it("an overdue delivery of an endpoint that is switched off is skipped at once", async () => {
  const fixture = middle();
  const off = endpoint();
  await fixture.in(({ deliveries }) => deliveries.account.replace([off]));
  await afterOutage(fixture);
  await fixture.in(({ deliveries }) => deliveries.account.replace([{ ...off, is_active: false }]));
  await fixture.alarm();
  const page = await fixture.in(({ deliveries }) =>
    deliveries.account.deliveries.page(off.id, { status: null, event: null, limit: 1, before: null }),
  );
  expect(page).toMatchObject({ value: { items: [{ status: "skipped", last_error: "webhook_disabled" }] } });
  // Nothing is left to do until the history expires, so the alarm does not repeat.
  expect((await fixture.dueAt()) ?? 0).toBeGreaterThan(Date.now() + HOUR_MS);
});

it("a retry that is a little late is made at once", async () => {
  const fixture = middle();
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  await fixture.evict();
  fixture.outside.answer = respond204;
  vi.setSystemTime(START + MINUTE_MS);
  await fixture.alarm();
  expect(fixture.outside.arrivals).toHaveLength(2);
});
