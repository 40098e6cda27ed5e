// The object may die at any moment: nothing that was stored is lost, and only what was in flight may arrive twice.
import { beforeEach, describe, expect, it } from "vitest";
import {
  accept,
  type Connection,
  connection,
  freezeTime,
  idOf,
  list,
  received,
  refuse,
  SECOND,
  silence,
  START,
  withWebhook,
} from "./world.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

const first = async (world: Connection) => (await list(world))[0];

describe("an object that dies", () => {
  it("during an attempt makes it again within 1 to 5 s, under the same id, with the same bytes", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = silence;
    await world.happen(received());
    await world.crash();
    world.outside.answer = accept;
    const due = (await world.dueAt()) ?? 0;
    expect(due).toBeGreaterThanOrEqual(START + SECOND);
    expect(due).toBeLessThanOrEqual(START + 5 * SECOND);
    await world.runUntil(START + 5 * SECOND);
    const [lost, again] = world.outside.arrivals;
    expect(again?.body).toBe(lost?.body);
    expect(await first(world)).toMatchObject({ status: "delivered", attempts: 2 });
    await world.runUntil(START + HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(2);
  });

  it("uses up none of the schedule by dying", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    world.outside.answer = silence;
    await world.runUntil(START + 5 * SECOND);
    await world.crash();
    world.outside.answer = refuse;
    await world.runUntil(START + 40 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(9);
    expect(await first(world)).toMatchObject({ status: "failed", attempts: 9 });
  });

  it("before the first attempt has started still makes it", async () => {
    const world = connection();
    await withWebhook(world);
    await world.in(async (object) => {
      const { face } = await import("../support/delivery-object.ts");
      object.deliveries.enqueue([received()], face, Date.now());
    });
    await world.crash();
    // It was stored as begun, and who knows whether it was: it waits like every orphan.
    await world.runUntil(START + 5 * SECOND);
    expect(world.outside.arrivals).toHaveLength(1);
  });

  it("sets its alarm when it comes back, and while anything is in flight", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = silence;
    await world.happen(received());
    expect(await world.in((object) => object.armed())).toBeLessThanOrEqual(START + 40 * SECOND);
    await world.crash();
    expect(await world.in((object) => object.armed())).toBeLessThanOrEqual(START + 5 * SECOND);
  });
});

it("still believes an attempt that ended after its lease, if it delivered", async () => {
  const world = connection();
  await withWebhook(world);
  const answers: ((answer: Response) => void)[] = [];
  world.outside.answer = () => new Promise((resolve) => answers.push(resolve));
  await world.happen(received());
  freezeTime(START + 60 * SECOND);
  await world.alarm();
  expect(world.outside.arrivals).toHaveLength(2);
  await world.in(() => answers[0]?.(accept()));
  await world.settle();
  expect(await first(world)).toMatchObject({ status: "delivered", attempts: 2 });
  await world.in(() => answers[1]?.(refuse()));
  await world.settle();
  expect(await first(world)).toMatchObject({ status: "delivered", attempts: 2 });
  expect(new Set(world.outside.arrivals.map(({ body }) => idOf(body))).size).toBe(1);
});
