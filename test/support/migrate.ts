// Setup for every worker test file. The files share modules but not stored data.
import { applyD1Migrations, type D1Migration, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { DATABASE, MAIL } from "../worker/support/platform-bindings.ts";

// Bound by test/support/runner/projects.ts, so no product Env declares it.
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

vi.useRealTimers();
await wake();
await reset();
Object.assign(env, {
  // Cached database reads belong to the binding, so a fresh binding acts as a fresh isolate.
  DB: Object.create(DATABASE) as D1Database,
  // Tests spy on `send`. On the platform's RPC stub, code that has called it before would not see the spy, because V8 caches the lookup.
  MAIL: { send: (...mail: Parameters<SendEmail["send"]>) => MAIL.send(...mail) },
});
if (await isMigrated()) throw new Error("the database of the test file before is still there");
await applyD1Migrations(DATABASE, TEST_MIGRATIONS);

/**
 * `reset` clears only objects in memory, and workerd evicts objects idle for ten seconds, including D1's and R2's. So this function loads
 * the objects that files share by name before it calls `reset`.
 */
async function wake(): Promise<void> {
  await isMigrated();
  await env.MEDIA.head("none");
  await runInDurableObject(env.BRIDGE_POOL.getByName("default"), () => undefined);
}

async function isMigrated(): Promise<boolean> {
  return (await DATABASE.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'user'").first()) !== null;
}
