// D1 writes caused by the calls of one account key.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { identifyKey, recordKeyUse } from "#root/src/services/callers/identify.ts";
import { createAccountKey } from "#root/src/services/account-keys/create.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { accountOf } from "./large-account.ts";

it("a key that is used each minute is written once an hour", async () => {
  const world = await accountOf(1);
  const now = 1_000 * HOUR_MS;
  const made = await createAccountKey(
    world.bindings,
    { userId: world.id, name: "A", scopes: null, instanceIds: null, expiresAt: null },
    now,
  );
  if (!made.ok) throw new Error(made.failure.code);
  const used: (number | null | undefined)[] = [];
  world.outside.statements = 0;
  for (let at = now; at < now + 2 * HOUR_MS; at += MINUTE_MS) {
    const found = await identifyKey(env.DB, made.value.row.hash, null);
    if (found === null || found.key === null) throw new Error("no key");
    await recordKeyUse(world.bindings.DB, found.key, at);
    used.push(found.key.lastUsedAt);
  }
  console.log(`a key used each minute for two hours: ${world.outside.statements} writes`);
  expect(world.outside.statements).toBe(2);
  expect(used.at(-1)).toBe(now + HOUR_MS);
});
