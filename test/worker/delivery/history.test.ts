// What customers see of their deliveries, what they send again, and how long it is kept.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { accept, type Connection, connection, endpoint, freezeTime, HOUR, idOf, must, received, refuse, SECOND, silence, START, withWebhook } from "./world.ts";

beforeEach(() => freezeTime());

const DAY = 24 * HOUR;
const list = async (world: Connection, limit = 20) => must(await world.in(({ deliveries }) => deliveries.webhook.deliveries(limit))).items;
const detail = (world: Connection, id: string) => world.in(({ deliveries }) => deliveries.webhook.delivery(id));
const count = (world: Connection, table: string) => world.in((_, sql) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n);
const resend = (world: Connection, id: string) => world.in(({ deliveries }) => deliveries.webhook.resend(id));

describe("the list", () => {
  it("shows the most recent ones, newest first", async () => {
    const world = connection();
    await withWebhook(world);
    for (let second = 0; second < 25; second += 1) {
      vi.setSystemTime(START + second * SECOND);
      await world.happen(received());
    }
    const items = await list(world);
    expect(items.map(({ created_at }) => created_at)).toEqual(Array.from({ length: 20 }, (_, index) => START + (24 - index) * SECOND));
    expect(items[0]).toEqual({
      id: idOf(world.outside.arrivals.at(-1)?.body ?? ""), event: "message.received", status: "delivered", http_status: 200, attempts: 1,
      created_at: START + 24 * SECOND, delivered_at: START + 24 * SECOND, next_attempt_at: null, last_error: null,
    });
  });

  it("is paged and filtered for an account's endpoint", async () => {
    const world = connection();
    const hook = endpoint({ retry_count: 0, events: ["message.received"] });
    await world.in(({ deliveries }) => deliveries.account.replace([hook]));
    world.outside.answer = () => (world.outside.arrivals.length % 2 === 0 ? refuse() : accept());
    for (let times = 0; times < 6; times += 1) await world.happen(received());
    const page = (query: Partial<Parameters<Parameters<Parameters<Connection["in"]>[0]>[0]["deliveries"]["account"]["deliveries"]>[1]>) =>
      world.in(({ deliveries }) => must(deliveries.account.deliveries(hook.id, { status: null, event: null, limit: 100, before: null, ...query })));
    expect((await page({ status: "failed" })).items).toHaveLength(3);
    expect((await page({ event: "message.sent" })).items).toEqual([]);
    const first = await page({ limit: 4 });
    const second = await page({ limit: 4, before: first.next });
    expect([...first.items, ...second.items]).toEqual((await page({})).items);
    expect(second.next).toBeNull();
    expect(await world.in(({ deliveries }) => deliveries.account.deliveries(crypto.randomUUID(), { status: null, event: null, limit: 1, before: null }))).toMatchObject({
      ok: false, failure: { code: "webhook_not_found" },
    });
  });

  it("gives one delivery whole, with its bytes and each attempt", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    world.outside.answer = accept;
    await world.runUntil(START + 6 * SECOND);
    const [arrival] = world.outside.arrivals;
    expect(must(await detail(world, idOf(arrival?.body ?? "")))).toMatchObject({
      status: "delivered", request_body: arrival?.body,
      attempt_log: [{ at: START, http_status: 500, latency_ms: 0, error: "not_2xx" }, { at: START + 5 * SECOND, http_status: 204, latency_ms: 0, error: null }],
    });
    expect(await detail(world, "msg_unknown")).toEqual({ ok: false, failure: { code: "delivery_not_found" } });
  });
});

describe("resending", () => {
  it("sends what was given up again at once, under the same id, with a schedule of its own", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    await world.runUntil(START + 40 * HOUR);
    expect(world.outside.arrivals).toHaveLength(8);
    must(await resend(world, idOf(world.outside.arrivals[0]?.body ?? "")));
    await world.settle();
    expect(world.outside.arrivals).toHaveLength(9);
    expect(await list(world)).toMatchObject([{ status: "pending", attempts: 9, next_attempt_at: START + 40 * HOUR + 5 * SECOND }]);
    await world.runUntil(START + 80 * HOUR);
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
    await world.runUntil(START + 40 * HOUR);
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
    vi.setSystemTime(START + HOUR);
    await world.in((object) => object.take(Array.from({ length: 1_200 }, () => received("failed"))));
    await world.runUntil(START + HOUR + 1);
    world.outside.answer = accept;
    await world.happen(received("accepted"));
    world.outside.arrivals.length = 0;
    world.outside.answer = refuse;
    const resent = await world.in(({ deliveries }) => deliveries.account.resendFailed(hook.id, START + HOUR, null));
    expect(resent).toEqual({ ok: true, value: { count: 1_200 } });
    await world.runUntil(START + 2 * HOUR);
    expect(world.outside.arrivals).toHaveLength(1_200);
    expect(world.outside.arrivals.every(({ body }) => body.includes('"failed"'))).toBe(true);
    expect(new Set(world.outside.arrivals.map(({ body }) => idOf(body))).size).toBe(1_200);
  });
});

describe("keeping", () => {
  it("drops the body of what was accepted after a day, and the row after seven", async () => {
    const world = connection();
    await withWebhook(world);
    await world.happen(received());
    const id = idOf(world.outside.arrivals[0]?.body ?? "");
    await world.runUntil(START + DAY - 1);
    expect(must(await detail(world, id)).request_body).not.toBeNull();
    await world.runUntil(START + DAY + HOUR);
    expect(must(await detail(world, id))).toMatchObject({ request_body: null, status: "delivered" });
    expect(await resend(world, id)).toEqual({ ok: false, failure: { code: "delivery_not_found" } });
    vi.setSystemTime(START + 7 * DAY - 1);
    expect(await list(world)).toHaveLength(1);
    vi.setSystemTime(START + 7 * DAY);
    expect(await list(world)).toEqual([]);
    await world.runUntil(START + 7 * DAY + HOUR);
    expect(await count(world, "delivery")).toBe(0);
    expect(await world.dueAt()).toBeNull();
  });

  it("keeps what failed for seven days, to be resent", async () => {
    const world = connection();
    await withWebhook(world);
    world.outside.answer = refuse;
    await world.happen(received());
    const id = idOf(world.outside.arrivals[0]?.body ?? "");
    await world.runUntil(START + 7 * DAY - 1);
    world.outside.answer = accept;
    must(await resend(world, id));
    await world.settle();
    expect(world.outside.arrivals.at(-1)?.body).toBe(world.outside.arrivals[0]?.body);
    expect(await count(world, "body")).toBe(0);
    await world.runUntil(START + 8 * DAY);
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
    await world.runUntil(START + 2 * DAY);
    expect(await count(world, "body")).toBe(1);
    await world.runUntil(START + 7 * DAY + HOUR);
    expect(await count(world, "body")).toBe(0);
    expect(await count(world, "delivery")).toBe(0);
  });

  it("tidies in slices, each of them short, until nothing is left to tidy", async () => {
    const world = connection();
    await withWebhook(world);
    await world.in((object) => object.take(Array.from({ length: 1_600 }, () => received())));
    await world.runUntil(START + SECOND);
    await world.runUntil(START + 7 * DAY - 1);
    vi.setSystemTime(START + 7 * DAY);
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
    const given = must(await world.in(({ deliveries }) => deliveries.webhook.deliveries(100))).items.filter(({ last_error }) => last_error === "fila_cheia");
    expect(given.length).toBeGreaterThan(0);
    expect(given.every(({ status, next_attempt_at }) => status === "failed" && next_attempt_at === null)).toBe(true);
    expect(items.filter(({ status }) => status === "pending").length).toBeLessThanOrEqual(50 + 25);
    expect(items[0]?.status).toBe("pending");
    await world.runUntil(START + SECOND);
    expect(world.outside.arrivals.filter(({ url }) => url === other.url)).toHaveLength(120);
    expect(world.outside.lines).toContainEqual({ what: "delivery.queue_full", fields: expect.objectContaining({ givenUp: expect.any(Number) }) });
  });

  it("counts bytes too", async () => {
    const world = connection({ rows: 500, bytes: 200_000 });
    await withWebhook(world);
    world.outside.answer = refuse;
    for (let frames = 0; frames < 10; frames += 1) await world.happen(...Array.from({ length: 60 }, () => received("x".repeat(1_000))));
    const waiting = await world.in((_, sql) => sql.exec<{ size: number }>("SELECT sum(size) AS size FROM delivery WHERE due_at IS NOT NULL").one().size);
    expect(waiting).toBeLessThan(200_000 + 600 * 1_300 * 0.9);
    expect(waiting).toBeGreaterThan(0);
    expect(await world.in((_, sql) => sql.exec<{ n: number }>("SELECT count(*) AS n FROM delivery WHERE error = 'fila_cheia'").one().n)).toBeGreaterThan(0);
  });
});
