// The pool wakes each of its connections once a day, a few every minute.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { Placements } from "#root/durable-objects/bridge-pool/placements.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { Sweep } from "#root/durable-objects/bridge-pool/sweep.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

const START = Date.UTC(2030, 0, 1, 7, 30);

/** A day of calls; `skipped` omits a minute. */
function dayOf(
  connections: readonly string[],
  { skipped = () => false, restarts = () => false }: { skipped?: (minute: number) => boolean; restarts?: (minute: number) => boolean },
) {
  return runInDurableObject(env.BRIDGE_POOL.getByName(crypto.randomUUID()), async (_object, { storage: { sql } }) => {
    for (const connection of connections)
      sql.exec(
        "INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) VALUES (?, 1, 'b', NULL, 0, 0)",
        connection,
      );
    const woken: string[] = [];
    const poke = async (connection: string): Promise<void> => {
      woken.push(connection);
      if (connection === connections[0]) throw new Error("not reached");
    };
    const placements = new Placements(sql, () => undefined);
    const create = () => new Sweep({ placements, poke, through: new StoredTimes(sql, "fleet_time").of("swept_through") });
    let sweep = create();
    let most = 0;
    for (let minute = 0; minute < DAY_MS / MINUTE_MS; minute++) {
      const before = woken.length;
      if (restarts(minute)) sweep = create();
      // Each run starts in a different second of its minute.
      if (!skipped(minute)) await sweep.run(START + minute * MINUTE_MS + (minute % 50) * 1_000);
      most = Math.max(most, woken.length - before);
    }
    return { woken, most };
  });
}

it("the pool wakes each of 10,000 connections once a day, a few a minute, despite a restart and a failure", async () => {
  const connections = Array.from({ length: 10_000 }, () => crypto.randomUUID());
  const { woken, most } = await dayOf(connections, { restarts: (minute) => minute === 700 });
  expect(woken.toSorted()).toEqual(connections.toSorted());
  expect(most).toBeLessThanOrEqual(30);
});

it.each([
  ["in memory", () => false],
  ["evicted after each call", () => true],
])("the pool wakes each of a few connections once a day too, and makes up for missed calls, %s", async (_memory, restarts) => {
  const connections = ["00000000", "00000001", "7fffffff", "ffffffff"].map((start) => `${start}-0000-4000-8000-000000000000`);
  const { woken } = await dayOf(connections, { skipped: (minute) => minute % 60 !== 59, restarts });
  expect(woken.toSorted()).toEqual(connections.toSorted());
});
