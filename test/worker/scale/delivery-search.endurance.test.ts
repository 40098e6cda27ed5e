// A quiet webhook's delivery list and a resend of its failures, in an object with a million deliveries of another webhook.
import { beforeEach, expect, it } from "vitest";
import { History, SLICE_SEQS } from "#root/durable-objects/connection/delivery/history.ts";
import { STATE } from "#root/durable-objects/connection/delivery/states.ts";
import { connection, endpoint, freezeTime, must, received, START } from "../delivery/delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

const ROWS = 1_000_000;
const SECOND_MS = 1_000;

beforeEach(() => freezeTime());

/** Stored at ten a second; every 300,000th belongs to the quiet webhook and failed. */
const FILL = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${ROWS})
  INSERT INTO delivery (seq, id, queue_id, body, size, type, created_at, state, text)
  SELECT n, 'msg_00' || n, iif(n % 300000 = 0, ?, ?), n, 100, 'message.received', ? + n / 10 * 1000, iif(n % 300000 = 0, ${STATE.failed}, ${STATE.delivered}), iif(n % 300000 = 0, ?, NULL)
  FROM number`;

it("a search reads a million deliveries in slices, between which the object does its other work", async () => {
  const fixture = connection();
  const [quiet, busy] = [endpoint(), endpoint()];
  const begin = START - ROWS * 100;
  await fixture.in(({ deliveries }) => deliveries.account.replace([quiet]));
  await fixture.emit(received());
  fixture.outside.arrivals.length = 0;
  await fixture.in(async ({ deliveries }, sql) => {
    const { text } = sql.exec<{ text: string }>("SELECT text FROM delivery").one();
    sql.exec("DELETE FROM delivery");
    deliveries.account.replace([quiet, busy]);
    const queues = sql.exec<{ queue_id: number; id: string }>("SELECT queue_id, id FROM endpoint").toArray();
    const queueOf = (id: string) => queues.find((queue) => queue.id === id)?.queue_id ?? 0;
    sql.exec(FILL, queueOf(quiet.id), queueOf(busy.id), begin, text);

    let [turns, mostRead, longestMs] = [0, 0, 0];
    const timed: SqlStorage["exec"] = (query, ...bindings) => {
      const started = performance.now();
      const cursor = sql.exec(query, ...bindings);
      const rows = cursor.toArray();
      longestMs = Math.max(longestMs, performance.now() - started);
      mostRead = Math.max(mostRead, cursor.rowsRead);
      return { toArray: () => rows, one: () => rows[0], rowsRead: cursor.rowsRead } as never;
    };
    const others = setInterval(() => (turns += 1), 0);
    const history = new History({ exec: timed } as SqlStorage);
    const found = await history.page({ queueId: queueOf(quiet.id), disabledAt: null, active: true } as never, ALL, START);
    clearInterval(others);
    console.log(
      `delivery list of a quiet webhook among ${ROWS}: at most ${mostRead} rows read at once, longest ${longestMs.toFixed(1)} ms, others had ${turns} turns`,
    );
    expect(found.items.map(({ id }) => id)).toEqual(["msg_00900000", "msg_00600000", "msg_00300000"]);
    expect(found.more).toBe(false);
    expect(mostRead).toBeLessThanOrEqual(SLICE_SEQS * 1.1);
    expect(turns).toBeGreaterThanOrEqual(ROWS / SLICE_SEQS / 2);

    const first = must(await deliveries.account.deliveries.page(quiet.id, { ...ALL, limit: 2 }));
    expect([first.items.map(({ id }) => id), first.more]).toEqual([["msg_00900000", "msg_00600000"], true]);
    const next = must(await deliveries.account.deliveries.page(quiet.id, { ...ALL, before: { place: first.items[1]?.place ?? 0 } }));
    expect([next.items.map(({ id }) => id), next.more]).toEqual([["msg_00300000"], false]);

    // The search starts from the second failure.
    const since = begin + 600_000 * 100 - HOUR_MS;
    expect(must(await deliveries.account.deliveries.resendFailed(quiet.id, since, null))).toEqual({ count: 2 });
    expect(must(await deliveries.account.deliveries.resendFailed(quiet.id, since, since + HOUR_MS - SECOND_MS))).toEqual({ count: 0 });
  });
  // Each alarm scans a slice; the first slice needs no alarm.
  const resent = () => fixture.outside.arrivals.length;
  for (let rings = 0; rings < (2 * ROWS) / SLICE_SEQS && resent() < 2; rings += 1) await fixture.alarm();
  expect(resent()).toBe(2);
});

const ALL = { status: null, event: null, limit: 20, before: null };
