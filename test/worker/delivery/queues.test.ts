// Receivers do not affect each other, and new events do not wait behind retries.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Queue } from "#root/durable-objects/connection/delivery/queue.ts";
import { FirstAttempts } from "#root/durable-objects/connection/delivery/first-attempts.ts";
import { STATE } from "#root/durable-objects/connection/delivery/states.ts";
import {
  respond204,
  type Connection,
  connection,
  endpoint,
  freezeTime,
  HOOK,
  received,
  respond500,
  SECOND,
  neverRespond,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

const SLOW = "https://slow.example.com/";
const many = (count: number) => Array.from({ length: count }, () => received());
const arrivedAt = (fixture: Connection, url: string) => fixture.outside.arrivals.filter((arrival) => arrival.url === url);
const accounts = (fixture: Connection, ...endpoints: ReturnType<typeof endpoint>[]) =>
  fixture.in(({ deliveries }) => deliveries.account.replace(endpoints));

describe("a receiver that hangs", () => {
  it("has at most four attempts in flight, and the others get all of theirs", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await accounts(fixture, endpoint({ url: SLOW, retry_count: 0, timeout_ms: 30_000 }));
    fixture.outside.answer = ({ url }) => (url === SLOW ? neverRespond() : respond204());
    for (let frames = 0; frames < 10; frames += 1) await fixture.emit(...many(5));
    await fixture.alarm();
    await fixture.alarm();
    expect(arrivedAt(fixture, SLOW)).toHaveLength(4);
    expect(arrivedAt(fixture, HOOK)).toHaveLength(50);
  });

  it("leaves a slot for every other one, however many hang", async () => {
    const fixture = connection();
    const hanging = Array.from({ length: 19 }, (_, index) => endpoint({ url: `https://slow${index}.example.com/`, timeout_ms: 30_000 }));
    await accounts(fixture, ...hanging, endpoint({ url: "https://quick.example.com/" }));
    await withWebhook(fixture);
    fixture.outside.answer = ({ url }) => (url.startsWith("https://slow") ? neverRespond() : respond204());
    await fixture.emit(...many(6));
    for (let alarms = 0; alarms < 12; alarms += 1) await fixture.alarm();
    expect(arrivedAt(fixture, "https://quick.example.com/")).toHaveLength(6);
    expect(arrivedAt(fixture, HOOK)).toHaveLength(6);
    expect(fixture.outside.arrivals.filter(({ url }) => url.startsWith("https://slow")).length).toBeLessThanOrEqual(24);
    for (const { url } of hanging) expect(arrivedAt(fixture, url).length).toBeGreaterThanOrEqual(1);
  });

  it("is cancelled at its timeout, and the retry counts from then", async () => {
    const fixture = connection();
    await accounts(fixture, endpoint({ url: SLOW, timeout_ms: 1_000 }));
    fixture.outside.answer = neverRespond;
    await fixture.in((object) => object.accept([received()]));
    await vi.waitFor(() => expect(fixture.outside.lines).toHaveLength(1), { timeout: 60_000 });
    expect(fixture.outside.lines[0]).toMatchObject({
      what: "delivery.attempted",
      fields: { error: "timeout", status: null, attempt: 1, surface: "account" },
    });
  });

  it("times out by its own setting, whatever the others' are", async () => {
    const fixture = connection();
    const timeouts = [2_000, 1_000, 1_500];
    await accounts(fixture, ...timeouts.map((timeout_ms) => endpoint({ url: `https://slow${timeout_ms}.example.com/`, timeout_ms })));
    fixture.outside.answer = neverRespond;
    const startedAt = performance.now();
    const took: number[] = [];
    await fixture.in((object) => object.accept([received()]));
    for (const ended of [1, 2, 3]) {
      // On a busy machine, two may have ended at once.
      await vi.waitFor(() => expect(fixture.outside.lines.length).toBeGreaterThanOrEqual(ended), { timeout: 60_000, interval: 10 });
      took.push(performance.now() - startedAt);
    }
    expect(fixture.outside.lines).toHaveLength(timeouts.length);
    const early = timeouts.toSorted((a, b) => a - b).filter((timeout, index) => (took[index] ?? 0) < timeout - 20);
    expect(early).toEqual([]);
  });

  it("releases its prefetched deliveries, and only those that timed out are attempted twice", async () => {
    const fixture = connection();
    await accounts(fixture, endpoint({ url: SLOW, timeout_ms: 1_000, retry_count: 1 }));
    fixture.outside.answer = () => (fixture.outside.arrivals.length <= 60 ? respond204() : neverRespond());
    await fixture.in((object) => object.accept(many(100)));
    const timeouts = () => fixture.outside.lines.filter(({ fields }) => fields["error"] === "timeout").length;
    await vi.waitFor(() => expect(timeouts()).toBeGreaterThanOrEqual(4), { timeout: 60_000 });
    fixture.outside.answer = respond204;
    await vi.waitFor(() => expect(fixture.outside.arrivals).toHaveLength(100), { timeout: 60_000 });
    await fixture.runUntil(START + HOUR_MS);
    const bodies = fixture.outside.arrivals.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(100);
    expect(bodies).toHaveLength(100 + timeouts());
  });

  it("gets fewer concurrent attempts, then single probes, and all again once it responds", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = () => Promise.reject(new Error("Network connection lost."));
    const underWay = async () => {
      const before = fixture.outside.arrivals.length;
      fixture.outside.answer = neverRespond;
      await fixture.emit(...many(6));
      const count = fixture.outside.arrivals.length - before;
      // A new instance does not know the hanging attempts; the clock passes their retries.
      await fixture.crash();
      return count;
    };
    await fixture.emit(...many(5));
    expect(await underWay()).toBe(2);
    fixture.outside.answer = () => Promise.reject(new Error("Network connection lost."));
    await fixture.runUntil(START + 20 * SECOND);
    expect(await underWay()).toBe(1);
    fixture.outside.answer = respond500;
    await fixture.runUntil(START + 12 * HOUR_MS);
    expect(await underWay()).toBe(4);
  });
});

describe("a receiver that comes back after an outage", () => {
  const down = () => new Response(null, { status: 503 });
  const arrivals = (fixture: Connection, from: number) => fixture.outside.arrivals.slice(from).map(({ at }) => at);

  it("gets one attempt in its first second, one a second until it has answered five, then all at once", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = down;
    await fixture.emit(...many(30));
    await fixture.runUntil(START + 5 * SECOND);
    const before = fixture.outside.arrivals.length;
    expect(before).toBeGreaterThanOrEqual(20);
    fixture.outside.answer = respond204;
    const back = START + HOUR_MS;
    vi.setSystemTime(back);
    await fixture.alarm();
    expect(arrivals(fixture, before)).toHaveLength(1);
    await fixture.runUntil(back + SECOND - 1);
    expect(arrivals(fixture, before)).toHaveLength(1);
    await fixture.runUntil(back + 4 * SECOND - 1);
    expect(arrivals(fixture, before)).toEqual([0, 1, 2, 3].map((n) => back + n * SECOND));
    await fixture.runUntil(back + 10 * SECOND);
    expect(arrivals(fixture, before)).toHaveLength(30);
  });

  it("is as careful when the object was restarted meanwhile", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = down;
    await fixture.emit(...many(30));
    await fixture.evict();
    const before = fixture.outside.arrivals.length;
    fixture.outside.answer = neverRespond;
    vi.setSystemTime(START + HOUR_MS);
    // Overdue work starts at the connection's own time.
    vi.setSystemTime((await fixture.dueAt()) ?? 0);
    await fixture.alarm();
    expect(arrivals(fixture, before)).toHaveLength(1);
  });
});

describe("a receiver that recovers", () => {
  it("gets new events and retries, each with half of its slots", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(...many(40));
    vi.setSystemTime(START + HOUR_MS);
    const before = fixture.outside.arrivals.length;
    const order: string[] = [];
    const release: (() => void)[] = [];
    fixture.outside.answer = ({ body }) => {
      order.push(body.includes('"news"') ? "news" : "late");
      return new Promise((resolve) => release.push(() => resolve(respond204())));
    };
    await fixture.emit(...Array.from({ length: 40 }, () => received("news")));
    expect(order.toSorted()).toEqual(["late", "late", "news", "news"]);
    while (fixture.outside.arrivals.length < before + 40) {
      await fixture.in(() => release.shift()?.());
      await fixture.settle();
    }
    const news = order.slice(0, 36).filter((kind) => kind === "news").length;
    expect(news).toBeGreaterThanOrEqual(16);
    expect(news).toBeLessThanOrEqual(20);
  });
});

it("the object starts no more than six attempts in one invocation, and the rest in the next ones", async () => {
  const fixture = connection();
  await accounts(fixture, ...Array.from({ length: 10 }, (_, index) => endpoint({ url: `https://r${index}.example.com/` })));
  fixture.outside.answer = neverRespond;
  await fixture.emit(received());
  expect(fixture.outside.arrivals).toHaveLength(6);
  expect(await fixture.dueAt()).toBeLessThanOrEqual(Date.now());
  await fixture.alarm();
  expect(fixture.outside.arrivals).toHaveLength(10);
  expect(await fixture.dueAt()).toBeGreaterThan(Date.now());
});

it("a block that was rolled back sends none of its deliveries", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  await fixture.emit(received("before"));
  await fixture.in((object) => object.takeAndRollBack(many(3)));
  await fixture.emit(received("after"));
  await fixture.runUntil(START + HOUR_MS);
  expect(fixture.outside.arrivals.map(({ body }) => /"text":"(\w+)"/.exec(body)?.[1])).toEqual(["before", "after"]);
});

it("a block that was rolled back sets no alarm", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  const before = await fixture.dueAt();
  await fixture.in((object) => object.takeAndRollBack(many(3)));
  expect(await fixture.dueAt()).toBe(before);
});

it("a queue counts its waiting deliveries again after a block was rolled back, so that it keeps its limit", async () => {
  const fixture = connection({ rows: 5, bytes: 1_000_000_000 });
  await withWebhook(fixture);
  fixture.outside.isSuspended = true;
  await fixture.in((object) => object.accept(many(4)));
  await fixture.in((object) => object.takeAndRollBack(many(6)));
  await fixture.in((object) => object.accept(many(5)));
  expect(await fixture.in(({ deliveries }) => deliveries.waiting)).toBe(5);
});

it("a queue claims fewer deliveries at once when bodies are large", async () => {
  const fixture = connection();
  const claimed = await fixture.in((_object, sql) => {
    const queue = new Queue(sql, new FirstAttempts(sql));
    for (let n = 0; n < 6; n += 1) {
      queue.add("message.received", "x".repeat(1_500_000), [{ id: `msg_${n}`, queueId: 1, skipped: false, claimedUntil: null }], START);
    }
    const claim = () => queue.claim(1, STATE.fresh, 100, START, START + HOUR_MS).map(({ id }) => id);
    return [claim(), claim(), claim()];
  });
  expect(claimed).toEqual([["msg_0", "msg_1", "msg_2"], ["msg_3", "msg_4", "msg_5"], []]);
});

it("the log has one line per attempt, with no secret, no text and no query of a URL", async () => {
  const fixture = connection();
  const secret = await withWebhook(fixture);
  await accounts(fixture, endpoint({ url: "https://hooks.example.com/a?token=hidden", secret: "segredo" }));
  fixture.outside.answer = respond500;
  await fixture.emit(received("private words"));
  expect(fixture.outside.lines).toHaveLength(2);
  expect(fixture.outside.lines).toContainEqual({
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
  for (const hidden of ["hidden", "segredo", "private words", secret]) expect(JSON.stringify(fixture.outside.lines)).not.toContain(hidden);
});
