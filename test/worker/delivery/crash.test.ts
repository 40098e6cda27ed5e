// The object may crash at any time: stored data is never lost, and only deliveries in flight may arrive twice.
import { beforeEach, describe, expect, it } from "vitest";
import {
  respond204,
  type Connection,
  connection,
  freezeTime,
  idOf,
  list,
  received,
  respond500,
  SECOND,
  neverRespond,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

const first = async (fixture: Connection) => (await list(fixture))[0];

describe("an object that crashes", () => {
  it("repeats an interrupted attempt within 1 to 5 s, under the same id, with the same bytes", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = neverRespond;
    await fixture.emit(received());
    await fixture.crash();
    fixture.outside.answer = respond204;
    const due = (await fixture.dueAt()) ?? 0;
    expect(due).toBeGreaterThanOrEqual(START + SECOND);
    expect(due).toBeLessThanOrEqual(START + 5 * SECOND);
    await fixture.runUntil(START + 5 * SECOND);
    const [lost, again] = fixture.outside.arrivals;
    expect(again?.body).toBe(lost?.body);
    expect(await first(fixture)).toMatchObject({ status: "delivered", attempts: 2 });
    await fixture.runUntil(START + HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(2);
  });

  it("does not use up retries by crashing", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    fixture.outside.answer = neverRespond;
    await fixture.runUntil(START + 5 * SECOND);
    await fixture.crash();
    fixture.outside.answer = respond500;
    await fixture.runUntil(START + 40 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(9);
    expect(await first(fixture)).toMatchObject({ status: "failed", attempts: 9 });
  });

  it("still makes a first attempt that had not started", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.in(async (object) => {
      const { INSTANCE } = await import("../support/delivery-object.ts");
      object.deliveries.enqueue([received()], INSTANCE, Date.now());
    });
    await fixture.crash();
    // The delivery was stored as claimed and may have been sent, so it waits like every orphan.
    await fixture.runUntil(START + 5 * SECOND);
    expect(fixture.outside.arrivals).toHaveLength(1);
  });

  it("sets its alarm when it restarts, and while anything is in flight", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = neverRespond;
    await fixture.emit(received());
    expect(await fixture.in((object) => object.armed())).toBeLessThanOrEqual(START + 40 * SECOND);
    await fixture.crash();
    expect(await fixture.in((object) => object.armed())).toBeLessThanOrEqual(START + 5 * SECOND);
  });
});

it("an attempt that succeeded after its claim had expired is counted", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  const answers: ((answer: Response) => void)[] = [];
  fixture.outside.answer = () => new Promise((resolve) => answers.push(resolve));
  await fixture.emit(received());
  freezeTime(START + 60 * SECOND);
  await fixture.alarm();
  expect(fixture.outside.arrivals).toHaveLength(2);
  await fixture.in(() => answers[0]?.(respond204()));
  await fixture.settle();
  expect(await first(fixture)).toMatchObject({ status: "delivered", attempts: 2 });
  await fixture.in(() => answers[1]?.(respond500()));
  await fixture.settle();
  expect(await first(fixture)).toMatchObject({ status: "delivered", attempts: 2 });
  expect(new Set(fixture.outside.arrivals.map(({ body }) => idOf(body))).size).toBe(1);
});
