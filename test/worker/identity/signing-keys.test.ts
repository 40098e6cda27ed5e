// Access token signing keys rotate automatically and with AUTH_SECRET (docs/operate/secrets.md, "A new AUTH_SECRET").
import { env } from "cloudflare:workers";
import { decodeProtectedHeader } from "jose";
import { beforeEach, afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { issueToken } from "#root/src/services/identity/sessions.ts";
import { retireSigningKeys } from "#root/src/services/identity/signing-keys.ts";
import { verifyBearer } from "#root/src/services/identity/verify-bearer.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Someone, someone } from "../support/people.ts";

const OLD = env.AUTH_SECRET ?? "";
const NEW = "the-new-secret-the-new-secret-the-new-secret";
/** Fresh bindings act as another isolate with empty caches. */
const bindings = (AUTH_SECRET: string) => ({ ...env, AUTH_SECRET, DB: Object.create(env.DB) as D1Database }) as Env;

let who: Someone;
const tokenOf = (bound: Env) => issueToken(bound, who.user, Math.floor(Date.now() / 1000) + 900);
const keyOf = (token: string) => decodeProtectedHeader(token).kid;
const stored = async () => (await env.DB.prepare("SELECT id, private_key, expires_at FROM jwks ORDER BY created_at").all()).results;
const published = async (bound: Env): Promise<string[]> =>
  (await (await identityProvider(bound)).api.getJwks()).keys.map(({ kid }: { kid?: string }) => kid ?? "");

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM jwks").run();
  who = await someone();
  await env.DB.prepare("DELETE FROM jwks").run();
});
afterEach(() => void vi.useRealTimers());

describe("a signing key", () => {
  it("signs for 30 days, is accepted for 25 hours more, and is then forgotten", async () => {
    vi.useFakeTimers({ now: Date.UTC(2031, 0, 1), toFake: ["Date"] });
    const first = await tokenOf(bindings(OLD));
    vi.setSystemTime(Date.now() + 30 * DAY_MS - MINUTE_MS);
    await retireSigningKeys(bindings(OLD), Date.now());
    const last = await tokenOf(bindings(OLD));
    expect(keyOf(last)).toBe(keyOf(first));
    vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
    await retireSigningKeys(bindings(OLD), Date.now());
    expect(await stored()).toEqual([expect.objectContaining({ id: keyOf(first), private_key: "" })]);
    const next = await tokenOf(bindings(OLD));
    expect(keyOf(next)).not.toBe(keyOf(last));
    for (const token of [last, next]) expect(await verifyBearer(bindings(OLD), token)).toMatchObject({ subject: who.user.id });
    expect(await published(bindings(OLD))).toEqual([keyOf(last), keyOf(next)]);
    vi.setSystemTime(Date.now() + DAY_MS + HOUR_MS);
    expect(await published(bindings(OLD))).toEqual([keyOf(next)]);
    await retireSigningKeys(bindings(OLD), Date.now());
    expect(await stored()).toEqual([expect.objectContaining({ id: keyOf(next) })]);
  });
});

describe("a new AUTH_SECRET", () => {
  it("has a new key at once, accepts tokens of the old one, and keeps nothing that the old secret opens", async () => {
    const before = await tokenOf(bindings(OLD));
    const both = bindings(`2:${NEW} 1:${OLD}`);
    const after = await tokenOf(both);
    expect(keyOf(after)).not.toBe(keyOf(before));
    for (const token of [before, after]) expect(await verifyBearer(both, token)).toMatchObject({ subject: who.user.id });
    await retireSigningKeys(both, Date.now());
    const keys = await stored();
    expect(keys.map(({ id, private_key }) => [id, String(private_key).slice(0, 7)])).toEqual([
      [keyOf(before), ""],
      [keyOf(after), '"$ba$2$'],
    ]);
    const only = bindings(`2:${NEW}`);
    expect(keyOf(await tokenOf(only))).toBe(keyOf(after));
    expect(await verifyBearer(only, before)).toMatchObject({ subject: who.user.id });
  });

  it("ends no token even without the old entry, and the old key signs nothing more", async () => {
    const before = await tokenOf(bindings(OLD));
    const only = bindings(`2:${NEW}`);
    const after = await tokenOf(only);
    expect(keyOf(after)).not.toBe(keyOf(before));
    expect(await verifyBearer(only, before)).toMatchObject({ subject: who.user.id });
    // Revokes them immediately.
    await env.DB.prepare("DELETE FROM jwks").run();
    expect(await verifyBearer(bindings(`2:${NEW}`), before)).toBeNull();
    expect(await verifyBearer(bindings(`2:${NEW}`), await tokenOf(bindings(`2:${NEW}`)))).toMatchObject({ subject: who.user.id });
  });
});
