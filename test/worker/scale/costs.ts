// Costs of a message, a read and an idle hour of one number, for the ledger and for `npm run bench:cost`.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { pool } from "../fakes/bridge.ts";
import { freshCustomer } from "../support/customer.ts";
import { counted, type Counts, uncounted } from "./counters.ts";
import { type CountedNumber, countedNumber } from "./world.ts";

/** Totals. `set` alarms also count as rows; `lines` counts log lines before sampling. */
export type Cost = {
  written: number;
  read: number;
  alarms: number;
  rung: number;
  d1: number;
  d1Written: number;
  d1Read: number;
  requests: number;
  frames: number;
  lines: number;
};

/** Longer than the retention of any delivery, key or body; messages themselves are kept indefinitely. */
const UNTIL_PURGED_MS = 41 * DAY_MS;
/** Events per hour that are purged together: about an hour's share of 200 inbound events and 100 sends a day. */
export const TOGETHER = { inbound: 8, sends: 4 } as const;

export const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0);

export const costOf = ({ rows, alarms, d1, requests, lines }: Counts): Cost => ({
  written: rows.written,
  read: rows.read,
  alarms: alarms.set,
  rung: alarms.rung,
  d1: d1.statements,
  d1Written: d1.written,
  d1Read: d1.read,
  requests: sum(requests.calls),
  frames: requests.frames,
  lines: sum(lines),
});

/** Uses a separate number that has already had its first messages, because the first in a chat or an hour costs more. */
export async function withNumber<T>(run: (number: CountedNumber) => Promise<T>): Promise<T> {
  const number = await countedNumber();
  try {
    await number.inbound();
    await number.send();
    return await run(number);
  } finally {
    await number.end();
  }
}

/** The cost of waking a sleeping object, and of the next minute, in which nothing else wakes it. */
export async function wokenInbound(number: CountedNumber): Promise<Counts> {
  await number.sleep();
  return counted(async () => {
    await number.inbound();
    await number.minute();
  });
}

/** The same event delivered to one more receiver. */
export function furtherDelivery(number: CountedNumber): Promise<Counts> {
  return number.withReceiver(() => counted(number.inbound));
}

/** The later costs of this many messages, until everything that expires is deleted: rows, alarms, and their hour's statistics. */
export async function laterOf(number: CountedNumber, messages: number, once: () => Promise<void>): Promise<Counts> {
  await number.connection.after(UNTIL_PURGED_MS);
  for (let message = 0; message < messages; message++) await once();
  return counted(() => number.connection.after(UNTIL_PURGED_MS));
}

/** The same period without a message. */
export async function idle(number: CountedNumber): Promise<Counts> {
  await number.connection.after(UNTIL_PURGED_MS);
  return counted(() => number.connection.after(UNTIL_PURGED_MS));
}

/** The first full hour without the daily comparison with D1, whose time of day depends on the number. */
export async function idleHour({ connection }: CountedNumber, afterMs = UNTIL_PURGED_MS): Promise<Counts> {
  await connection.after(afterMs);
  const now = Date.now();
  if (gridOf(connection.uuid, DAY_MS)(now) < now + HOUR_MS) await connection.after(HOUR_MS + 1);
  return counted(() => connection.after(HOUR_MS));
}

/** One Connection API call alone in its second, because the request log is written once a second. */
export async function reads(): Promise<Record<"cached read" | "uncached read", Counts>> {
  const customer = await freshCustomer();
  const connection = env.CONNECTION.getByName(customer.connection.instance_id);
  const logged = () =>
    runInDurableObject(connection, (_object, { storage }) =>
      uncounted(() => storage.sql.exec<{ rows: number }>("SELECT count(*) AS rows FROM request_log").one().rows),
    );
  const once = (path: string) => async () => {
    const before = await logged();
    const answer = await customer.call("GET", path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    await answer.text();
    await vi.waitFor(async () => {
      if ((await logged()) === before) throw new Error("not logged");
    });
  };
  // Bridges of earlier numbers may still be closing their sockets.
  await vi.waitFor(async () => {
    if ((await pool().list()).bridges.some(({ connected }) => connected)) throw new Error("a bridge is connected");
  });
  await once("/instance")();
  const cached = await leastOf(Array.from({ length: READS }, () => once("/instance")));
  await once("/chats?limit=10")();
  const uncached = await leastOf(Array.from({ length: READS }, (_, index) => once(`/chats?limit=${11 + index}`)));
  return { "cached read": cached, "uncached read": uncached };
}

/** Counts several reads, because an earlier alarm may fire during one of them. */
const READS = 3;

async function leastOf(reads: readonly (() => Promise<void>)[]): Promise<Counts> {
  const all: Counts[] = [];
  for (const read of reads) all.push(await counted(read));
  const total = ({ rows, alarms }: Counts) => rows.written + alarms.set + alarms.rung;
  return all.reduce((least, counts) => (total(counts) < total(least) ? counts : least));
}
