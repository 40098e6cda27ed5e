// Set-up of every worker test file. The files share their modules; what they store is their own.
import { applyD1Migrations, type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { DATABASE } from "../worker/support/database.ts";

// Bound by vitest.config.ts, so it is in no Env of the product.
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

vi.useRealTimers();
await reset();
// What an isolate has read of a database belongs to the binding: a binding of its own is another isolate.
Object.assign(env, { DB: Object.create(DATABASE) as D1Database });
await applyD1Migrations(DATABASE, TEST_MIGRATIONS);
