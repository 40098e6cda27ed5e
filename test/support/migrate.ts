import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Bound by vitest.config.ts, so it is in no Env of the product.
const { DB, TEST_MIGRATIONS } = env as unknown as { DB: D1Database; TEST_MIGRATIONS: D1Migration[] };
if (TEST_MIGRATIONS.length > 0) await applyD1Migrations(DB, TEST_MIGRATIONS);
