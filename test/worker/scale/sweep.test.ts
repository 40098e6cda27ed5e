// The pool wakes each of its connections once a day, a few a minute, and goes on where it was after a restart.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { Placements } from "../../../durable-objects/bridge-pool/placements.ts";
import { Sweep } from "../../../durable-objects/bridge-pool/sweep.ts";

const CONNECTIONS = 10_000;
const MINUTES = 1_440;

it("10,000 connections: each once a day, at most ten a minute, one that fails keeps nobody waiting", async () => {
  const { most, counts, written } = await runInDurableObject(env.BRIDGE_POOL.getByName(crypto.randomUUID()), async (_object, state) => {
    const { sql } = state.storage;
    sql.exec(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${CONNECTIONS})
       INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) SELECT 'c' || n, 1, 'b', NULL, 0, n FROM n`,
    );
    const counts = new Map<string, number>();
    const poke = async (connection: string): Promise<void> => {
      counts.set(connection, (counts.get(connection) ?? 0) + 1);
      if (connection === "c5") throw new Error("not reached");
    };
    const placements = new Placements(sql, () => undefined);
    let sweep = new Sweep({ sql, placements, poke });
    let most = 0;
    for (let minute = 0; minute < MINUTES; minute++) {
      const before = counts.size;
      await sweep.run();
      most = Math.max(most, counts.size - before);
      if (minute === 700) sweep = new Sweep({ sql, placements, poke });
    }
    const { n: written } = sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM sweep").one();
    return { most, counts: [...counts.values()], written };
  });
  expect(most).toBeLessThanOrEqual(10);
  expect(counts).toHaveLength(CONNECTIONS);
  // The day's last minutes may begin the next round.
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  expect(counts.filter((count) => count > 1).length).toBeLessThan(CONNECTIONS / 50);
  expect(written).toBe(1);
});
