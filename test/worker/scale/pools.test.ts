// The watchdog's calls to a hundred pools in one run.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { keepAllBridges } from "#root/src/services/bridges/pools.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

const SET = { kind: "auto" };
const START = Date.UTC(2030, 0, 1);

/** Fake pools; one of them missed a setting. */
function poolsWithout(missed: string) {
  const kept: string[] = [];
  const set: string[] = [];
  let calls = 0;
  const versions = new Map([[missed, { kind: "older" }]]);
  const called = <T>(answer: T) => {
    calls += 1;
    return Promise.resolve(answer);
  };
  const getByName = (name: string) => ({
    keepBridges: () => called(void kept.push(name)),
    clientVersion: () => called(versions.get(name) ?? SET),
    fleet: () => called({ rollout: null }),
    setClientVersion: (version: { kind: string }) => {
      set.push(name);
      versions.set(name, version);
      return called(SET);
    },
  });
  const run = async (now: number) => {
    calls = 0;
    await keepAllBridges({ ...(env as Env), POOL_SHARDS: "weur:99", BRIDGE_POOL: { getByName } } as unknown as Env, now);
    return calls;
  };
  return { kept, set, run };
}

it("each run asks a part of a hundred pools, the runs after it the others, and all get the settings", async () => {
  const { kept, set, run } = poolsWithout("weur/98");
  const calls: number[] = [];
  for (let minute = 0; minute < 5; minute += 1) calls.push(await run(START + minute * MINUTE_MS));
  console.log(`watchdog's run over 100 pools: ${Math.max(...calls)} calls of pools at most`);
  expect(Math.max(...calls)).toBeLessThanOrEqual(200);
  expect(new Set(kept).size).toBe(100);
  const times = [...new Set(kept)].map((pool) => kept.filter((each) => each === pool).length);
  expect(times.every((count) => count === 3)).toBe(true);
  expect(set).toEqual(["weur/98"]);
});
