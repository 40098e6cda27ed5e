// How long deliveries are kept, and how many may wait.
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  accept,
  type Connection,
  connection,
  detail,
  endpoint,
  freezeTime,
  idOf,
  list,
  must,
  received,
  refuse,
  resend,
  SECOND,
  START,
  withWebhook,
} from "./world.ts";
import { DAY_MS, HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

const count = (world: Connection, table: string) =>
  world.in((_, sql) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n);

describe("keeping", () => {
  it("drops the body of what was accepted after a day, and the row after seven", async () => {
    const world = connection();
    await withWebhook(world);
    await world.happen(received());
    const id = idOf(world.outside.arrivals[0]?.body ?? "");
    await world.runUntil(START + DAY_MS - 1);
    expect(must(await detail(world, id)).request_body).not.toBeNull();
    await world.runUntil(START + DAY_MS + HOUR_MS);
    expect(must(await detail(world, id))).toMatchObject({ request_body: null, status: "delivered" });
    expect(await resend(world, id)).toEqual({ ok: false, failure: { code: "delivery_not_found" } });
    vi.setSystemTime(START + 7 * DAY_MS - 1);
    expect(await list(world)).toHaveLength(1);
    vi.setSystemTime(START + 7 * DAY_MS);
    expect(await list(world)).toEqual([]);
    await world.runUntil(START + 7 * DAY_MS + HOUR_MS);
    expect(await count(world, "delivery")).toBe(0);
    expect(await world.dueAt()).toBeNull();
  });

  it("keeps what failed for seven days, to be resent", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    const id = idOf(world.outside.arrivals[0]?.body ?? "");
    await world.runUntil(START + 7 * DAY_MS - 1);
    world.outside.answer = accept;
    must(await resend(world, id));
    await world.settle();
    expect(world.outside.arrivals.at(-1)?.body).toBe(world.outside.arrivals[0]?.body);
    expect(await count(world, "body")).toBe(0);
    await world.runUntil(START + 8 * DAY_MS);
    expect(await count(world, "delivery")).toBe(0);
  });

  it("keeps a shared body as long as one receiver may still want it", async () => {
    const world = connection();
    const good = endpoint({ url: "https://good.example.com/" });
    const bad = endpoint({ url: "https://bad.example.com/" });
    await world.in(({ deliveries }) => deliveries.account.replace([good, bad]));
    world.outside.answer = ({ url }) => (url === bad.url ? refuse() : accept());
    await world.happen(received());
    expect(await count(world, "body")).toBe(1);
    await world.runUntil(START + 2 * DAY_MS);
    expect(await count(world, "body")).toBe(1);
    await world.runUntil(START + 7 * DAY_MS + HOUR_MS);
    expect(await count(world, "body")).toBe(0);
    expect(await count(world, "delivery")).toBe(0);
  });

  it("tidies in slices, each of them short, until nothing is left to tidy", async () => {
    const world = connection();
    await withWebhook(world);
    await world.in((object) => object.take(Array.from({ length: 1_600 }, () => received())));
    await world.runUntil(START + SECOND);
    await world.runUntil(START + 7 * DAY_MS - 1);
    vi.setSystemTime(START + 7 * DAY_MS);
    const left: number[] = [];
    while ((await world.dueAt()) !== null) {
      await world.alarm();
      left.push(await count(world, "delivery"));
    }
    expect(left.length).toBeGreaterThanOrEqual(4);
    expect(left.at(-1)).toBe(0);
    expect(await count(world, "body")).toBe(0);
  });
});

describe("a queue that is full", () => {
  it("gives up its oldest deliveries, says so, and harms no other lane", async () => {
    const world = connection({ rows: 50, bytes: 1_000_000_000 });
    await withWebhook(world);
    const other = endpoint({ url: "https://other.example.com/" });
    await world.in(({ deliveries }) => deliveries.account.replace([other]));
    world.outside.answer = ({ url }) => (url === other.url ? accept() : refuse());
    for (let frames = 0; frames < 12; frames += 1) await world.happen(...Array.from({ length: 10 }, () => received(`frame ${frames}`)));
    const items = await list(world, 100);
    const given = (await list(world, 100)).filter(({ last_error }) => last_error === "queue_full");
    expect(given.length).toBeGreaterThan(0);
    expect(given.every(({ status, next_attempt_at }) => status === "failed" && next_attempt_at === null)).toBe(true);
    expect(items.filter(({ status }) => status === "pending").length).toBeLessThanOrEqual(50 + 25);
    expect(items[0]?.status).toBe("pending");
    await world.runUntil(START + SECOND);
    expect(world.outside.arrivals.filter(({ url }) => url === other.url)).toHaveLength(120);
    expect(world.outside.lines).toContainEqual({
      what: "delivery.queue_full",
      fields: expect.objectContaining({ givenUp: expect.any(Number) }),
    });
  });

  it("counts bytes too", async () => {
    const world = connection({ rows: 500, bytes: 200_000 });
    await withWebhook(world);
    world.outside.answer = refuse;
    for (let frames = 0; frames < 10; frames += 1) await world.happen(...Array.from({ length: 60 }, () => received("x".repeat(1_000))));
    const waiting = await world.in(
      (_, sql) => sql.exec<{ size: number }>("SELECT sum(size) AS size FROM delivery WHERE due_at IS NOT NULL").one().size,
    );
    expect(waiting).toBeLessThan(200_000 + 600 * 1_300 * 0.9);
    expect(waiting).toBeGreaterThan(0);
    expect(
      await world.in((_, sql) => sql.exec<{ n: number }>("SELECT count(*) AS n FROM delivery WHERE error = 'queue_full'").one().n),
    ).toBeGreaterThan(0);
  });
});
