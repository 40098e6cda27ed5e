// Deliveries without an entry in the due-time index.
import { beforeEach, expect, it, vi } from "vitest";
import { type Claim, newClaim, Queue } from "#root/durable-objects/connection/delivery/queue.ts";
import { FirstAttempts } from "#root/durable-objects/connection/delivery/first-attempts.ts";
import { STATE } from "#root/durable-objects/connection/delivery/states.ts";
import {
  connection,
  endpoint,
  freezeTime,
  idOf,
  list,
  neverRespond,
  received,
  respond204,
  SECOND,
  START,
  withWebhook,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

it("deliveries in flight at a crash are found among the newest rows, however many have ended since", async () => {
  const fixture = connection();
  const slow = endpoint({ url: "https://slow.example.com/", timeout_ms: 30_000 });
  await fixture.in(({ deliveries }) => deliveries.account.replace([slow]));
  await withWebhook(fixture);
  fixture.outside.answer = ({ url }) => (url === slow.url ? neverRespond() : respond204());
  await fixture.in((object) => object.accept([received()]));
  vi.setSystemTime(START + 30 * SECOND);
  await fixture.in((object) => object.accept(Array.from({ length: 50 }, () => received())));
  await fixture.crash();
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + 60 * SECOND);
  const ids = new Set(fixture.outside.arrivals.filter(({ url }) => url === slow.url).map(({ body }) => idOf(body)));
  expect(ids.size).toBe(51);
  expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery WHERE state <> 3").one())).toEqual({ n: 0 });
});

it("an unfinished first attempt is due again before a minute's newer rows hide it", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = neverRespond;
  await fixture.in((object) => object.accept([received("lost")]));
  // No alarm fires here, as on a stalled machine.
  vi.setSystemTime(START + 10 * 60 * SECOND);
  await fixture.in((object) => object.accept([received("later")]));
  await fixture.crash();
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + 11 * 60 * SECOND);
  expect((await list(fixture)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
});

it.each([
  ["forward", 1],
  ["back", -1],
])("a clock that steps %s hides no first attempt behind waiting rows", async (_, direction) => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = neverRespond;
  // The object gets more deliveries than it has slots, so the next one waits.
  await fixture.in((object) => object.accept(Array.from({ length: 30 }, () => received())));
  for (const later of [0, 240 * SECOND]) {
    vi.setSystemTime(START + direction * HOUR_MS + later);
    await fixture.in((object) => object.accept([received()]));
  }
  await fixture.crash();
  fixture.outside.answer = respond204;
  await fixture.runUntil(START + 2 * HOUR_MS);
  expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery WHERE state <> 3").one())).toEqual({ n: 0 });
});

it("a first attempt is due again once its claim expires, if its outcome could not be stored", async () => {
  const fixture = connection();
  await fixture.in((_, sql) => {
    const disk = { full: false };
    const exec: SqlStorage["exec"] = (query, ...bindings) => {
      if (disk.full) throw new Error("database or disk is full: SQLITE_FULL");
      return sql.exec(query, ...bindings);
    };
    const storage = { exec } as SqlStorage;
    const queue = new Queue(storage, new FirstAttempts(storage));
    const add = (id: string) => queue.add("message.received", "{}", [{ id, queueId: 1, skipped: false, claimedUntil: START + 1 }], START);
    const [accepted, returned] = [...add("msg_1"), ...add("msg_2")].map(({ id, queueId, seq }) =>
      newClaim({ id, queueId, seq, type: "message.received", text: "{}", trace: null }),
    ) as [Claim, Claim];
    const end = { failures: 0, httpStatus: 204, error: null, latencyMs: 1, endedAt: START, ended: null };
    disk.full = true;
    expect(() => queue.settle({ claim: accepted, ending: { state: "delivered" }, ...end })).toThrow("full");
    expect(() => queue.unclaim(returned, START)).toThrow("full");
    disk.full = false;
    expect(queue.reclaimExpired(START + SECOND)).toEqual([1, 1]);
    expect(queue.claim(1, STATE.fresh, 2, START + SECOND, START + 2 * SECOND)).toHaveLength(2);
  });
});

it("waiting deliveries are counted with those in progress", async () => {
  const fixture = connection();
  await withWebhook(fixture);
  fixture.outside.answer = neverRespond;
  await fixture.in((object) => object.accept(Array.from({ length: 6 }, () => received())));
  expect(await fixture.in(({ deliveries }) => deliveries.waiting)).toBe(6);
  await fixture.in((object) => object.takeAndRollBack([received()]));
  expect(await fixture.in(({ deliveries }) => deliveries.waiting)).toBe(6);
});
