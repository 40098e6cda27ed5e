// Retention of deliveries, and the limit on waiting ones.
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  respond204,
  type Connection,
  connection,
  detail,
  endpoint,
  freezeTime,
  idOf,
  list,
  must,
  neverRespond,
  received,
  respond500,
  resend,
  SECOND,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

const count = (fixture: Connection, table: string) =>
  fixture.in((_, sql) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n);

describe("retention", () => {
  it("deletes the body of an accepted delivery after a day, and the row after seven", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.emit(received());
    const id = idOf(fixture.outside.arrivals[0]?.body ?? "");
    await fixture.runUntil(START + DAY_MS - 1);
    expect(must(await detail(fixture, id)).request_body).not.toBeNull();
    await fixture.runUntil(START + DAY_MS + HOUR_MS);
    expect(must(await detail(fixture, id))).toMatchObject({ request_body: null, status: "delivered" });
    expect(await resend(fixture, id)).toEqual({ ok: false, failure: { code: "delivery_not_found" } });
    vi.setSystemTime(START + 7 * DAY_MS - 1);
    expect(await list(fixture)).toHaveLength(1);
    vi.setSystemTime(START + 7 * DAY_MS);
    expect(await list(fixture)).toEqual([]);
    await fixture.runUntil(START + 7 * DAY_MS + HOUR_MS);
    expect(await count(fixture, "delivery")).toBe(0);
    expect(await fixture.dueAt()).toBeNull();
  });

  it("deletes an accepted body after a day, though all deliveries before it are gone and the object was evicted", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.emit(received());
    await fixture.runUntil(START + 8 * DAY_MS);
    expect(await count(fixture, "delivery")).toBe(0);
    await fixture.evict();
    await fixture.emit(received());
    const id = idOf(fixture.outside.arrivals[1]?.body ?? "");
    await fixture.runUntil(START + 9 * DAY_MS + 2 * HOUR_MS);
    expect(must(await detail(fixture, id))).toMatchObject({ request_body: null, status: "delivered" });
  });

  it("keeps failed deliveries for seven days, to be resent", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    const id = idOf(fixture.outside.arrivals[0]?.body ?? "");
    await fixture.runUntil(START + 7 * DAY_MS - 1);
    fixture.outside.answer = respond204;
    must(await resend(fixture, id));
    await fixture.settle();
    expect(fixture.outside.arrivals.at(-1)?.body).toBe(fixture.outside.arrivals[0]?.body);
    expect(await count(fixture, "body")).toBe(0);
    await fixture.runUntil(START + 8 * DAY_MS);
    expect(await count(fixture, "delivery")).toBe(0);
  });

  it("keeps a shared body as long as one receiver has not accepted it", async () => {
    const fixture = connection();
    const good = endpoint({ url: "https://good.example.com/" });
    const bad = endpoint({ url: "https://bad.example.com/" });
    await fixture.in(({ deliveries }) => deliveries.account.replace([good, bad]));
    fixture.outside.answer = ({ url }) => (url === bad.url ? respond500() : respond204());
    await fixture.emit(received());
    expect(await count(fixture, "body")).toBe(1);
    await fixture.runUntil(START + 2 * DAY_MS);
    expect(await count(fixture, "body")).toBe(1);
    await fixture.runUntil(START + 7 * DAY_MS + HOUR_MS);
    expect(await count(fixture, "body")).toBe(0);
    expect(await count(fixture, "delivery")).toBe(0);
  });

  it("deletes in short slices until nothing is left to delete", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    await fixture.in((object) => object.accept(Array.from({ length: 1_600 }, () => received())));
    await fixture.runUntil(START + SECOND);
    await fixture.runUntil(START + 7 * DAY_MS - 1);
    vi.setSystemTime(START + 7 * DAY_MS);
    const left: number[] = [];
    for (let due = await fixture.dueAt(); due !== null; due = await fixture.dueAt()) {
      vi.setSystemTime(Math.max(due, Date.now()));
      await fixture.alarm();
      left.push(await count(fixture, "delivery"));
    }
    expect(left.length).toBeGreaterThanOrEqual(4);
    expect(left.at(-1)).toBe(0);
    expect(await count(fixture, "body")).toBe(0);
  });
});

describe("a queue that is full", () => {
  it("fails its oldest deliveries with queue_full, and affects no other queue", async () => {
    const fixture = connection({ rows: 50, bytes: 1_000_000_000 });
    await withWebhook(fixture);
    const other = endpoint({ url: "https://other.example.com/" });
    await fixture.in(({ deliveries }) => deliveries.account.replace([other]));
    fixture.outside.answer = ({ url }) => (url === other.url ? respond204() : respond500());
    for (let frames = 0; frames < 12; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received(`frame ${frames}`)));
    const items = await list(fixture, 100);
    const given = (await list(fixture, 100)).filter(({ last_error }) => last_error === "queue_full");
    expect(given.length).toBeGreaterThan(0);
    expect(given.every(({ status, next_attempt_at }) => status === "failed" && next_attempt_at === null)).toBe(true);
    expect(fixture.outside.counts["error.webhook_queue_full"]).toBe(fixture.outside.counts["given_up"]);
    expect(fixture.outside.counts["given_up"]).toBeGreaterThanOrEqual(given.length);
    expect(items.filter(({ status }) => status === "pending").length).toBeLessThanOrEqual(50 + 25);
    expect(items[0]?.status).toBe("pending");
    await fixture.runUntil(START + SECOND);
    expect(fixture.outside.arrivals.filter(({ url }) => url === other.url)).toHaveLength(120);
    expect(fixture.outside.lines).toContainEqual({
      what: "delivery.queue_full",
      fields: expect.objectContaining({ givenUp: expect.any(Number) }),
    });
  });

  it("leaves what was delivered delivered, although it waits to be sent once more", async () => {
    const fixture = connection({ rows: 50, bytes: 1_000_000_000 });
    await withWebhook(fixture);
    await fixture.emit(received());
    const [delivered] = await list(fixture);
    expect(delivered).toMatchObject({ status: "delivered", last_error: null });
    // Hanging attempts occupy all slots, so the resend waits.
    fixture.outside.answer = neverRespond;
    for (let frames = 0; frames < 4; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received("busy")));
    must(await resend(fixture, delivered?.id ?? ""));
    const shown = async () => (await list(fixture, 200)).find(({ id }) => id === delivered?.id);
    expect(await shown()).toMatchObject({ status: "pending" });
    for (let frames = 0; frames < 10; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received("more")));
    expect(await shown()).toEqual(delivered);
    expect((await list(fixture, 200)).some(({ last_error }) => last_error === "queue_full")).toBe(true);
  });

  it("keeps events of a disabled webhook up to its own limit, however much else the object stores", async () => {
    const fixture = connection({ rows: 50, bytes: 1_000_000_000 });
    await withWebhook(fixture);
    await fixture.in(({ deliveries }) => deliveries.account.replace([endpoint({ url: "https://other.example.com/" })]));
    for (let frames = 0; frames < 4; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received()));
    await fixture.in((_, sql) => sql.exec("UPDATE endpoint SET disabled_at = ? WHERE style = 'connection'", START));
    await fixture.crash();
    const skipped = async () => (await list(fixture, 200)).filter(({ status }) => status === "skipped").length;
    for (let frames = 0; frames < 4; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received()));
    expect(await skipped()).toBe(40);
    await fixture.evict();
    for (let frames = 0; frames < 2; frames += 1) await fixture.emit(...Array.from({ length: 10 }, () => received()));
    expect(await skipped()).toBe(50);
  });

  it("is not full because the database is large", async () => {
    const fixture = connection({ rows: 500, bytes: 10_000 });
    await withWebhook(fixture);
    await fixture.in((_, sql) => sql.exec("UPDATE endpoint SET disabled_at = ?", START));
    await fixture.crash();
    const skipped = async () => (await list(fixture, 200)).filter(({ status }) => status === "skipped").length;
    await fixture.emit(received("x".repeat(4_000)));
    expect(await skipped()).toBe(1);
    for (let n = 0; n < 4; n += 1) await fixture.emit(received("x".repeat(4_000)));
    expect(await skipped()).toBe(3);
  });

  it("counts bytes too", async () => {
    const fixture = connection({ rows: 500, bytes: 200_000 });
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    for (let frames = 0; frames < 10; frames += 1) await fixture.emit(...Array.from({ length: 60 }, () => received("x".repeat(1_000))));
    const waiting = await fixture.in(
      (_, sql) => sql.exec<{ size: number }>("SELECT sum(size) AS size FROM delivery WHERE due_at IS NOT NULL").one().size,
    );
    expect(waiting).toBeLessThan(200_000 + 600 * 1_300 * 0.9);
    expect(waiting).toBeGreaterThan(0);
    expect(
      await fixture.in((_, sql) => sql.exec<{ n: number }>("SELECT count(*) AS n FROM delivery WHERE error = 'queue_full'").one().n),
    ).toBeGreaterThan(0);
  });
});
