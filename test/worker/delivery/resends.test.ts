// What customers send again: under the same id, with a schedule of its own.
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  accept,
  connection,
  endpoint,
  freezeTime,
  idOf,
  list,
  must,
  received,
  refuse,
  resend,
  SECOND,
  silence,
  START,
  withWebhook,
} from "./world.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

describe("resending", () => {
  it("sends what was given up again at once, under the same id, with a schedule of its own", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    await world.runUntil(START + 40 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(8);
    must(await resend(world, idOf(world.outside.arrivals[0]?.body ?? "")));
    await world.settle();
    expect(world.outside.arrivals).toHaveLength(9);
    expect(await list(world)).toMatchObject([{ status: "pending", attempts: 9, next_attempt_at: START + 40 * HOUR_MS + 5 * SECOND }]);
    await world.runUntil(START + 80 * HOUR_MS);
    expect(new Set(world.outside.arrivals.map(({ body }) => body)).size).toBe(1);
    expect(world.outside.arrivals).toHaveLength(16);
  });

  it("replaces a retry that waits", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    await world.runUntil(START + 10 * SECOND);
    world.outside.answer = accept;
    must(await resend(world, idOf(world.outside.arrivals[0]?.body ?? "")));
    await world.settle();
    await world.runUntil(START + 40 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(3);
  });

  it("of what is under way starts no second attempt", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = silence;
    await world.happen(received());
    must(await resend(world, idOf(world.outside.arrivals[0]?.body ?? "")));
    await world.settle();
    expect(world.outside.arrivals).toHaveLength(1);
    await world.crash();
  });

  it("of everything that failed since a time takes each once, and nothing else", async () => {
    const world = connection();
    const hook = endpoint({ retry_count: 0 });
    await world.in(({ deliveries }) => deliveries.account.replace([hook]));
    world.outside.answer = refuse;
    await world.happen(received("too old"));
    vi.setSystemTime(START + HOUR_MS);
    await world.in((object) => object.take(Array.from({ length: 1_200 }, () => received("failed"))));
    await world.runUntil(START + HOUR_MS + 1);
    world.outside.answer = accept;
    await world.happen(received("accepted"));
    world.outside.arrivals.length = 0;
    world.outside.answer = refuse;
    const resent = await world.in(({ deliveries }) => deliveries.account.resendFailed(hook.id, START + HOUR_MS, null));
    expect(resent).toEqual({ ok: true, value: { count: 1_200 } });
    await world.runUntil(START + 2 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(1_200);
    expect(world.outside.arrivals.every(({ body }) => body.includes('"failed"'))).toBe(true);
    expect(new Set(world.outside.arrivals.map(({ body }) => idOf(body))).size).toBe(1_200);
  });
});
