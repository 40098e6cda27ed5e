import { expect, it } from "vitest";
import { ACCOUNT_GUARD_MIGRATIONS } from "#root/durable-objects/account-guard/schema.ts";
import { POOL_MIGRATIONS } from "#root/durable-objects/bridge-pool/schema.ts";
import { MIGRATIONS } from "#root/durable-objects/connection/schema.ts";
import { FORMAT } from "#root/server/format.ts";

it("the format increases with the objects' tables, so that an older release refuses the data", () => {
  const statements = [...MIGRATIONS, ...ACCOUNT_GUARD_MIGRATIONS].reduce((sum, [, of]) => sum + of.length, POOL_MIGRATIONS.length);
  // After a change of the tables, increase FORMAT in server/format.ts once per release, and update both numbers here.
  expect({ format: FORMAT, statements }).toEqual({ format: 5, statements: 94 });
});
