// The delivery history that customers see.
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
  received,
  respond500,
  SECOND,
  START,
  withWebhook,
} from "./delivery-connection.ts";

beforeEach(() => freezeTime());

describe("the list", () => {
  it("shows the most recent deliveries, newest first", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    for (let second = 0; second < 25; second += 1) {
      vi.setSystemTime(START + second * SECOND);
      await fixture.emit(received());
    }
    const items = await list(fixture);
    expect(items.map(({ created_at }) => created_at)).toEqual(Array.from({ length: 20 }, (_, index) => START + (24 - index) * SECOND));
    expect(items[0]).toEqual({
      place: expect.any(Number),
      id: idOf(fixture.outside.arrivals.at(-1)?.body ?? ""),
      event: "message.received",
      status: "delivered",
      http_status: 200,
      attempts: 1,
      created_at: START + 24 * SECOND,
      delivered_at: START + 24 * SECOND,
      next_attempt_at: null,
      last_error: null,
    });
  });

  it("is paged and filtered for an account's endpoint", async () => {
    const fixture = connection();
    const hook = endpoint({ retry_count: 0, events: ["message.received"] });
    await fixture.in(({ deliveries }) => deliveries.account.replace([hook]));
    fixture.outside.answer = () => (fixture.outside.arrivals.length % 2 === 0 ? respond500() : respond204());
    for (let times = 0; times < 6; times += 1) await fixture.emit(received());
    const page = (
      query: Partial<Parameters<Parameters<Parameters<Connection["in"]>[0]>[0]["deliveries"]["account"]["deliveries"]["page"]>[1]>,
    ) =>
      fixture.in(async ({ deliveries }) =>
        must(await deliveries.account.deliveries.page(hook.id, { status: null, event: null, limit: 100, before: null, ...query })),
      );
    expect((await page({ status: ["failed"] })).items).toHaveLength(3);
    expect((await page({ event: "message.sent" })).items).toEqual([]);
    const first = await page({ limit: 4 });
    expect(first.more).toBe(true);
    const second = await page({ limit: 4, before: { place: first.items[3]?.place ?? 0 } });
    expect([...first.items, ...second.items]).toEqual((await page({})).items);
    expect(second.more).toBe(false);
    expect(
      await fixture.in(({ deliveries }) =>
        deliveries.account.deliveries.page(crypto.randomUUID(), { status: null, event: null, limit: 1, before: null }),
      ),
    ).toMatchObject({
      ok: false,
      failure: { code: "webhook_not_found" },
    });
  });

  it("begins below a time, with or without the deliveries stored at it", async () => {
    const fixture = connection();
    const hook = endpoint();
    await fixture.in(({ deliveries }) => deliveries.account.replace([hook]));
    for (const second of [0, 1, 1, 2]) {
      vi.setSystemTime(START + second * SECOND);
      await fixture.emit(received());
    }
    const times = async (at: number, inclusive: boolean) => {
      const query = { status: null, event: null, limit: 10, before: { at, inclusive } };
      const { items } = await fixture.in(async ({ deliveries }) => must(await deliveries.account.deliveries.page(hook.id, query)));
      return items.map(({ created_at }) => (created_at - START) / SECOND);
    };
    expect(await times(START + 1 * SECOND, true)).toEqual([1, 1, 0]);
    expect(await times(START + 1 * SECOND, false)).toEqual([0]);
    expect(await times(START, false)).toEqual([]);
    expect(await times(START - 1, true)).toEqual([]);
    expect(await times(START + 9 * SECOND, false)).toEqual([2, 1, 1, 0]);
  });

  it("shows one delivery in full, with its bytes and each attempt", async () => {
    const fixture = connection();
    await withWebhook(fixture);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    fixture.outside.answer = respond204;
    await fixture.runUntil(START + 6 * SECOND);
    const [arrival] = fixture.outside.arrivals;
    expect(must(await detail(fixture, idOf(arrival?.body ?? "")))).toMatchObject({
      status: "delivered",
      request_body: arrival?.body,
      attempt_log: [
        { at: START, http_status: 500, latency_ms: 0, error: "not_2xx" },
        { at: START + 5 * SECOND, http_status: 204, latency_ms: 0, error: null },
      ],
    });
    expect(await detail(fixture, "msg_unknown")).toEqual({ ok: false, failure: { code: "delivery_not_found" } });
  });
});
