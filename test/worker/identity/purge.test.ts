// Personal data that the watchdog deletes: expired rows and nothing else.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { purgeIdentityRows } from "#root/src/services/identity/purge.ts";
import { provisionUser } from "#root/src/services/users/provision.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { addUnconfirmedUser, findUser } from "#root/src/services/users/user-table.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { freshEmail, someone } from "../support/people.ts";

const countOf = async (table: "session" | "verification", column: string, id: string) =>
  (await env.DB.prepare(`SELECT COUNT(*) AS count FROM ${table} WHERE ${column} = ?`).bind(id).first<{ count: number }>())?.count;

it("the watchdog deletes unconfirmed sign-ups after a day, and expired sessions and links, once an hour", async () => {
  const unconfirmed = await addUnconfirmedUser(env.DB, freshEmail(), "Ana");
  const legacy = await addUnconfirmedUser(env.DB, freshEmail(), "Bia");
  await setPassword(env as Env, legacy?.id ?? "", "a password of an old sign-up");
  const outside = await provisionUser(env as Env, {
    issuer: "https://issuer.example",
    subject: crypto.randomUUID(),
    email: freshEmail(),
    emailVerified: false,
    name: null,
  });
  const { user } = await someone();
  const ids = [unconfirmed, legacy, outside, user].map((each) => each?.id ?? "");
  const { internalAdapter } = await (await identityProvider(env as Env)).$context;
  await internalAdapter.createSession(user.id);
  await internalAdapter.createVerificationValue({
    identifier: crypto.randomUUID(),
    value: user.id,
    expiresAt: new Date(Date.now() + HOUR_MS),
  });
  const left = async () => Promise.all(ids.map(async (id) => (await findUser(env.DB, id)) !== null));

  const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  await purgeIdentityRows(env.DB, hour + 8 * DAY_MS + MINUTE_MS);
  await purgeIdentityRows(env.DB, Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  expect(await left()).toEqual([true, true, true, true]);
  expect([await countOf("session", "user_id", user.id), await countOf("verification", "value", user.id)]).toEqual([1, 1]);

  await purgeIdentityRows(env.DB, hour + DAY_MS - 2 * HOUR_MS);
  expect(await left()).toEqual([true, true, true, true]);
  await purgeIdentityRows(env.DB, hour + DAY_MS + HOUR_MS);
  expect(await left()).toEqual([false, false, true, true]);
  await purgeIdentityRows(env.DB, hour + 8 * DAY_MS);
  expect([await countOf("session", "user_id", user.id), await countOf("verification", "value", user.id)]).toEqual([0, 0]);
});
