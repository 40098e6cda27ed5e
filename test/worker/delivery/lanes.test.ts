// Receivers do not harm each other, and news is not kept waiting by what is late.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Queue, STATE } from "../../../durable-objects/connection/delivery/queue.ts";
import {
  accept,
  type Connection,
  connection,
  endpoint,
  freezeTime,
  HOOK,
  received,
  refuse,
  SECOND,
  silence,
  START,
  withWebhook,
} from "./world.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

const SLOW = "https://slow.example.com/";
const many = (count: number) => Array.from({ length: count }, () => received());
const arrivedAt = (world: Connection, url: string) => world.outside.arrivals.filter((arrival) => arrival.url === url);
const accounts = (world: Connection, ...endpoints: ReturnType<typeof endpoint>[]) =>
  world.in(({ deliveries }) => deliveries.account.replace(endpoints));

describe("a receiver that hangs", () => {
  it("has four attempts under way at most, and the others get all of theirs", async () => {
    const world = connection();
    await withWebhook(world);
    await accounts(world, endpoint({ url: SLOW, retry_count: 0, timeout_ms: 30_000 }));
    world.outside.answer = ({ url }) => (url === SLOW ? silence() : accept());
    for (let frames = 0; frames < 10; frames += 1) await world.happen(...many(5));
    await world.alarm();
    await world.alarm();
    expect(arrivedAt(world, SLOW)).toHaveLength(4);
    expect(arrivedAt(world, HOOK)).toHaveLength(50);
  });

  it("leaves a slot for every other one, however many hang", async () => {
    const world = connection();
    const hanging = Array.from({ length: 19 }, (_, index) => endpoint({ url: `https://slow${index}.example.com/`, timeout_ms: 30_000 }));
    await accounts(world, ...hanging, endpoint({ url: "https://quick.example.com/" }));
    await withWebhook(world);
    world.outside.answer = ({ url }) => (url.startsWith("https://slow") ? silence() : accept());
    await world.happen(...many(6));
    for (let alarms = 0; alarms < 12; alarms += 1) await world.alarm();
    expect(arrivedAt(world, "https://quick.example.com/")).toHaveLength(6);
    expect(arrivedAt(world, HOOK)).toHaveLength(6);
    expect(world.outside.arrivals.filter(({ url }) => url.startsWith("https://slow")).length).toBeLessThanOrEqual(24);
    for (const { url } of hanging) expect(arrivedAt(world, url).length).toBeGreaterThanOrEqual(1);
  });

  it("is broken off at its timeout, and the failure counted from then", async () => {
    const world = connection();
    await accounts(world, endpoint({ url: SLOW, timeout_ms: 1_000 }));
    world.outside.answer = silence;
    await world.in((object) => object.take([received()]));
    await vi.waitFor(() => expect(world.outside.lines).toHaveLength(1), { timeout: 10_000 });
    expect(world.outside.lines[0]).toMatchObject({
      what: "delivery.attempted",
      fields: { error: "timeout", status: null, attempt: 1, surface: "account" },
    });
  });

  it("is given up at its own timeout, whatever the others' are", async () => {
    const world = connection();
    const timeouts = [2_000, 1_000, 1_500];
    await accounts(world, ...timeouts.map((timeout_ms) => endpoint({ url: `https://slow${timeout_ms}.example.com/`, timeout_ms })));
    world.outside.answer = silence;
    const startedAt = performance.now();
    const took: number[] = [];
    await world.in((object) => object.take([received()]));
    for (const ended of [1, 2, 3]) {
      await vi.waitFor(() => expect(world.outside.lines).toHaveLength(ended), { timeout: 10_000, interval: 10 });
      took.push(performance.now() - startedAt);
    }
    const early = timeouts.toSorted((a, b) => a - b).filter((timeout, index) => (took[index] ?? 0) < timeout - 20);
    expect(early).toEqual([]);
  });

  it("after being quick gives back what was claimed for it ahead, and nothing is tried twice but what timed out", async () => {
    const world = connection();
    await accounts(world, endpoint({ url: SLOW, timeout_ms: 1_000, retry_count: 1 }));
    world.outside.answer = () => (world.outside.arrivals.length <= 60 ? accept() : silence());
    await world.in((object) => object.take(many(100)));
    const timeouts = () => world.outside.lines.filter(({ fields }) => fields["error"] === "timeout").length;
    await vi.waitFor(() => expect(timeouts()).toBeGreaterThanOrEqual(4), { timeout: 10_000 });
    world.outside.answer = accept;
    await vi.waitFor(() => expect(world.outside.arrivals).toHaveLength(100), { timeout: 10_000 });
    await world.runUntil(START + HOUR_MS);
    const bodies = world.outside.arrivals.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(100);
    expect(bodies).toHaveLength(100 + timeouts());
  });

  it("is asked less and less, then probed one at a time, and fully again once it answers", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = () => Promise.reject(new Error("Network connection lost."));
    const underWay = async () => {
      const before = world.outside.arrivals.length;
      world.outside.answer = silence;
      await world.happen(...many(6));
      const count = world.outside.arrivals.length - before;
      // A new instance has forgotten the hanging ones; the clock passes their retries.
      await world.crash();
      return count;
    };
    await world.happen(...many(5));
    expect(await underWay()).toBe(2);
    world.outside.answer = () => Promise.reject(new Error("Network connection lost."));
    await world.runUntil(START + 20 * SECOND);
    expect(await underWay()).toBe(1);
    world.outside.answer = refuse;
    await world.runUntil(START + 12 * HOUR_MS);
    expect(await underWay()).toBe(4);
  });
});

describe("a receiver that comes back", () => {
  it("hears news beside what is late, each with half of its slots", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(...many(40));
    vi.setSystemTime(START + HOUR_MS);
    const before = world.outside.arrivals.length;
    const order: string[] = [];
    const release: (() => void)[] = [];
    world.outside.answer = ({ body }) => {
      order.push(body.includes('"news"') ? "news" : "late");
      return new Promise((resolve) => release.push(() => resolve(accept())));
    };
    await world.happen(...Array.from({ length: 40 }, () => received("news")));
    expect(order.toSorted()).toEqual(["late", "late", "news", "news"]);
    while (world.outside.arrivals.length < before + 40) {
      await world.in(() => release.shift()?.());
      await world.settle();
    }
    const news = order.slice(0, 36).filter((kind) => kind === "news").length;
    expect(news).toBeGreaterThanOrEqual(16);
    expect(news).toBeLessThanOrEqual(20);
  });
});

it("starts no more than six attempts in one invocation, and the rest in the next ones", async () => {
  const world = connection();
  await accounts(world, ...Array.from({ length: 10 }, (_, index) => endpoint({ url: `https://r${index}.example.com/` })));
  world.outside.answer = silence;
  await world.happen(received());
  expect(world.outside.arrivals).toHaveLength(6);
  expect(await world.dueAt()).toBeLessThanOrEqual(Date.now());
  await world.alarm();
  expect(world.outside.arrivals).toHaveLength(10);
  expect(await world.dueAt()).toBeGreaterThan(Date.now());
});

it("sends nothing of a block that was rolled back", async () => {
  const world = connection();
  await withWebhook(world);
  await world.happen(received("before"));
  await world.in((object) => object.takeInVain(many(3)));
  await world.happen(received("after"));
  await world.runUntil(START + HOUR_MS);
  expect(world.outside.arrivals.map(({ body }) => /"text":"(\w+)"/.exec(body)?.[1])).toEqual(["before", "after"]);
});

it("takes less at once into memory when bodies are large", async () => {
  const world = connection();
  const claimed = await world.in((_object, sql) => {
    const queue = new Queue(sql);
    for (let n = 0; n < 6; n += 1) {
      queue.add("message.received", "x".repeat(1_500_000), [{ id: `msg_${n}`, lane: 1, skipped: false, leaseUntil: null }], START);
    }
    const claim = () => queue.claim(1, STATE.fresh, 100, START, START + HOUR_MS).map(({ id }) => id);
    return [claim(), claim(), claim()];
  });
  expect(claimed).toEqual([["msg_0", "msg_1", "msg_2"], ["msg_3", "msg_4", "msg_5"], []]);
});

it("logs one line per attempt, with no secret, no text and no query of a URL", async () => {
  const world = connection();
  const secret = await withWebhook(world);
  await accounts(world, endpoint({ url: "https://hooks.example.com/a?token=hidden", secret: "segredo" }));
  world.outside.answer = refuse;
  await world.happen(received("private words"));
  expect(world.outside.lines).toHaveLength(2);
  expect(world.outside.lines).toContainEqual({
    what: "delivery.attempted",
    fields: {
      deliveryId: expect.stringMatching(/^msg_/),
      event: "message.received",
      surface: "connection",
      attempt: 1,
      status: 500,
      error: "not_2xx",
      ms: 0,
      next: START + 5_000,
    },
  });
  for (const hidden of ["hidden", "segredo", "private words", secret]) expect(JSON.stringify(world.outside.lines)).not.toContain(hidden);
});
