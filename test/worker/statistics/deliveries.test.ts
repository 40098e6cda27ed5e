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

it("a delivery that is accepted at once counts once, even if its event is reported again", async () => {
  const fixture = await withReceiver();
  const fact = received();
  await fixture.emit(fact);
  await fixture.emit(fact);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 1, delivered: 1 });
  expect(latencyWithin(fixture.outside.counts, 0.95)).not.toBeNull();
});

it("a delivery that is accepted after failures counts once, with each of its attempts", async () => {
  const fixture = await withReceiver();
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + HOUR_MS);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 2, delivered: 1, "error.webhook_not_2xx": 1 });
});

it("a delivery that is given up counts as such, and also as delivered once a resend succeeds", async () => {
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

it("a resend of an accepted delivery adds attempts and errors, but no second delivery", async () => {
  const fixture = await withReceiver();
  await fixture.emit(received());
  for (const answer of [respond204, respond500]) {
    fixture.outside.answer = answer;
    must(await resend(fixture, firstId(fixture)));
    await fixture.settle();
  }
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 3, delivered: 1, "error.webhook_not_2xx": 1 });
});

it("a delivery whose object crashes during the attempt counts once, with one attempt", async () => {
  const fixture = await withReceiver();
  let crashing = true;
  fixture.outside.answer = () => (crashing ? new Promise<Response>(() => undefined) : respond204());
  await fixture.in((object) => object.accept([received()]));
  await fixture.crash();
  crashing = false;
  await fixture.runUntil(START + 10_000);
  expect(counted(fixture)).toEqual({ deliveries: 1, attempts: 1, delivered: 1 });
});

it("deliveries of a disabled webhook count as given up, whether they waited before or came afterwards", async () => {
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

it("deliveries beyond the limit of a queue count as given up", async () => {
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
