import { sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import type { Env } from "../../env.ts";
import { allBridges } from "../bridges/pools.ts";
import { migrationsProblem } from "./migrations.ts";

export type Checks = { d1: boolean; migrations: boolean; durable_objects: boolean; bridge: boolean };

const CHECK_TIMEOUT_MS = 3_000;
/** Shorter than the timeout of the whole check, so that one slow pool does not fail it. */
const POOL_TIMEOUT_MS = 2_000;

/** The route is public, so its results are cached. */
const CACHE_MS = 5_000;

type CachedChecks = { last: { checks: Checks; at: number } | null; running: { checks: Promise<Checks>; since: number } | null };
const knownOf = new WeakMap<Env, CachedChecks>();

export async function checkParts(env: Env, now: number): Promise<Checks> {
  const known = knownOf.get(env) ?? { last: null, running: null };
  knownOf.set(env, known);
  const isFresh = (at: number, ms: number) => now >= at && now - at < ms;
  if (known.last !== null && isFresh(known.last.at, CACHE_MS)) return known.last.checks;
  // Starts a new check if the running one is old, because the request that started it may have been cancelled together with the check.
  if (known.running !== null && isFresh(known.running.since, CHECK_TIMEOUT_MS)) {
    const shared = await answered(known.running.checks);
    if (shared !== null) return shared;
  }
  const running = { checks: check(env), since: now };
  known.running = running;
  const checks = await running.checks;
  known.last = { checks, at: now };
  if (known.running === running) known.running = null;
  return checks;
}

async function check(env: Env): Promise<Checks> {
  const [d1, schema, bridges] = await Promise.all([
    answered(databaseOf(env.DB).run(sql`SELECT 1`)),
    answered(migrationsProblem(env.DB).then((problem) => ({ problem }))),
    answered(allBridges(env, POOL_TIMEOUT_MS)),
  ]);
  return {
    d1: d1 !== null,
    migrations: schema?.problem === null,
    durable_objects: bridges !== null,
    bridge: bridges?.some(({ connected, draining }) => connected && !draining) ?? false,
  };
}

async function answered<T>(question: Promise<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), CHECK_TIMEOUT_MS);
  try {
    return await Promise.race([question.catch(() => null), promise]);
  } finally {
    clearTimeout(timer);
  }
}
