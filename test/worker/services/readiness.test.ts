// `GET /health/ready` is public, so many requests must not cause as many checks.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { gateway } from "../support/gateway.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pool that counts its calls; each invokes `answers`. */
function counted(answers: () => Promise<unknown>) {
  let lists = 0;
  const list = async () => {
    lists += 1;
    return answers();
  };
  const BRIDGE_POOL = { getByName: () => ({ list }) } as unknown as Env["BRIDGE_POOL"];
  const ask = gateway({ DB: env.DB, BRIDGE_POOL });
  return { ready: async () => (await ask("/api/health/ready")).status, lists: () => lists };
}

it("readiness is checked once for all who ask at the same time, and again after five seconds", async () => {
  const up = { bridges: [{ connected: true, draining: false }] };
  const { ready, lists } = counted(async () => up);
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ready)))).toEqual(new Set([200]));
  expect(lists()).toBe(1);
  vi.setSystemTime(Date.now() + 4_999);
  expect([await ready(), lists()]).toEqual([200, 1]);
  up.bridges = [];
  vi.setSystemTime(Date.now() + 1);
  expect([await ready(), lists()]).toEqual([503, 2]);
  vi.setSystemTime(Date.now() - 60_000);
  expect([await ready(), lists()], "the cached result is not used after the clock was set back").toEqual([503, 3]);
});
