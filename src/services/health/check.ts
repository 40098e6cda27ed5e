// Whether the dependencies of a request are up: the directory, the objects, and at least one bridge.
import { sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import type { Env } from "../../env.ts";
import { bridgePoolStub } from "../bridges/pool-stub.ts";

export type Checks = { d1: boolean; durable_objects: boolean; bridge: boolean };

/** What does not answer in this time counts as down. */
const CHECK_TIMEOUT_MS = 3_000;

/** Up or down for each; nothing about where it runs. */
export async function checkParts(env: Env): Promise<Checks> {
  const [d1, bridges] = await Promise.all([
    answered(databaseOf(env.DB).run(sql`SELECT 1`)),
    answered(
      bridgePoolStub(env)
        .list()
        .then(({ bridges: known }) => known),
    ),
  ]);
  return {
    d1: d1 !== null,
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
