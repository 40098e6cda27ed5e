// Set-up of every worker test file. The files share their modules; what they store is their own.
import { applyD1Migrations, type D1Migration, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { DATABASE } from "../worker/support/database.ts";

// Bound by test/support/runner/projects.ts, so it is in no Env of the product.
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

vi.useRealTimers();
await wake();
await reset();
// What an isolate has read of a database belongs to the binding: a binding of its own is another isolate.
Object.assign(env, { DB: Object.create(DATABASE) as D1Database });
if (await isMigrated()) throw new Error("the database of the test file before is still there");
await applyD1Migrations(DATABASE, TEST_MIGRATIONS);

/**
 * `reset` empties the objects in memory only, and workerd drops those that were idle for ten seconds: D1's and R2's, too. So it is called
 * when those that files share by name are there.
 */
async function wake(): Promise<void> {
  await isMigrated();
  await env.MEDIA.head("none");
  await runInDurableObject(env.BRIDGE_POOL.getByName("default"), () => undefined);
}

async function isMigrated(): Promise<boolean> {
  return (await DATABASE.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'user'").first()) !== null;
}
