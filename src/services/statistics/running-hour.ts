// Brings the running hour of a report's connections to D1 before it is read (docs/use/statistics.md, "Which periods are complete").
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { mapAtMost } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";
import { firstConnections, type Scope } from "./report.ts";

/** A deployment or account with more connections is not asked: each of them is a call, and may be an object that sleeps. */
const MAX_CONNECTIONS = 100;
const CONCURRENCY = 20;
const WAIT_MS = 2_000;

/** Objects that answer later are in the next report. */
export async function bringRunningHour(env: Env, scope: Scope): Promise<void> {
  const uuids = await firstConnections(env.DB, scope, MAX_CONNECTIONS + 1);
  if (uuids.length > MAX_CONNECTIONS) return;
  const pushed = mapAtMost(CONCURRENCY, uuids, async (connection) => {
    try {
      await connectionStub(env, connection).pushStatistics();
    } catch (error) {
      log("statistics.not_pushed", { connection, ...errorFields(error) });
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  await Promise.race([pushed, promise]);
  clearTimeout(timer);
}
