// Webhook delivery counts. Each delivery is counted once, regardless of its outcome.
import { beforeEach, expect, it } from "vitest";
import {
  type Connection,
  connection,
  freezeTime,
  idOf,
  must,
  received,
  resend,
  respond204,
  respond500,
  START,
  webhook,
  withWebhook,
} from "../delivery/delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { latencyWithin } from "@gateway/domain/statistics/counts.ts";

beforeEach(() => freezeTime());

/** The counts without attempt durations. */
const counted = ({ outside }: Connection) =>
  Object.fromEntries(Object.entries(outside.counts).filter(([name]) => !name.startsWith("latency.")));
const firstId = ({ outside }: Connection) => idOf(outside.arrivals[0]?.body ?? "");

async function withReceiver(): Promise<Connection> {
  const fixture = connection();
  await withWebhook(fixture);
  return fixture;
}

it("one that is accepted at once, also when its event is reported again", async () => {
  const fixture = await withReceiver();
  const fact = received();
  await fixture.emit(fact);
  await fixture.emit(fact);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 1, delivered: 1 });
  expect(latencyWithin(fixture.outside.counts, 0.95)).not.toBeNull();
});

it("one that is accepted after failures", async () => {
  const fixture = await withReceiver();
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + HOUR_MS);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 2, delivered: 1, "error.webhook_not_2xx": 1 });
});

it("one that is given up, and accepted after a resend", async () => {
  const fixture = await withReceiver();
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  await fixture.runUntil(START + 40 * HOUR_MS);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 8, given_up: 1, "error.webhook_not_2xx": 8 });
  must(await resend(fixture, firstId(fixture)));
  await fixture.settle();
  expect(counted(fixture)).toMatchObject({ attempts: 9, given_up: 1 });
  fixture.outside.answer = respond204;
  must(await resend(fixture, firstId(fixture)));
  await fixture.settle();
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 10, given_up: 1, delivered: 1, "error.webhook_not_2xx": 9 });
});

it("one that was accepted and is sent again, whatever becomes of that", async () => {
  const fixture = await withReceiver();
  await fixture.emit(received());
  for (const answer of [respond204, respond500]) {
    fixture.outside.answer = answer;
    must(await resend(fixture, firstId(fixture)));
    await fixture.settle();
  }
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 3, delivered: 1, "error.webhook_not_2xx": 1 });
});

it("one whose object crashed in the middle of the attempt", async () => {
  const fixture = await withReceiver();
  let crashing = true;
  fixture.outside.answer = () => (crashing ? new Promise<Response>(() => undefined) : respond204());
  await fixture.in((object) => object.accept([received()]));
  await fixture.crash();
  crashing = false;
  await fixture.runUntil(START + 10_000);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 1, delivered: 1 });
});

it("those that waited when their webhook was disabled, and those that came afterwards", async () => {
  const fixture = await withReceiver();
  fixture.outside.answer = respond500;
  for (let hour = 0; hour < 72; hour += 12) {
    await fixture.emit(received());
    await fixture.runUntil(START + (hour + 12) * HOUR_MS - 1);
  }
  await fixture.runUntil(START + 72 * HOUR_MS);
  await fixture.emit(received());
  expect(must(await webhook(fixture, (it) => it.get())).status).toBe("disabled");
  await fixture.emit(received());
  await fixture.runUntil(START + 80 * HOUR_MS);
  expect(counted(fixture)).toMatchObject({ deliveries: 8, given_up: 8, disabled: 1 });
});

it("those beyond the bound of a queue", async () => {
  const fixture = connection({ rows: 3, bytes: 1_000_000_000 });
  await withWebhook(fixture);
  fixture.outside.answer = respond500;
  for (let n = 0; n < 8; n += 1) await fixture.emit(received());
  const { given_up: givenUp = 0 } = counted(fixture);
  const rows = await fixture.in((_object, sql) =>
    sql.exec<{ count: number }>("SELECT count(*) AS count FROM delivery WHERE error = 'queue_full'").one(),
  );
  expect(rows.count).toBeGreaterThan(0);
  expect(givenUp).toBe(rows.count);
});
