// Access tokens: accepted issuers, and refused tokens.
import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { APP, gateway } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

async function statusOf(token: string, bindings: Partial<Env> = {}): Promise<number> {
  return (await gateway(bindings)("/api/dashboard/me", { headers: { authorization: `Bearer ${token}` } })).status;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

describe("a token of the embedded provider", () => {
  it("is refused if it is unsigned, expired, for others, or signed by another key or with the public key", async () => {
    const { user, token } = await someone();
    expect(await statusOf(token)).toBe(200);
    const claims = { sub: user.id, iss: APP, aud: APP, exp: inAnHour() };
    expect(await statusOf(new UnsecuredJWT(claims).encode())).toBe(401);

    const [head = "", body = "", signature = ""] = token.split(".");
    const { kid } = JSON.parse(atob(head)) as { kid: string };
    const other = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    expect(await statusOf(await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", kid }).sign(other.privateKey))).toBe(401);
    expect(await statusOf(await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", kid: "unknown" }).sign(other.privateKey))).toBe(401);

    const publicKey = await env.DB.prepare("SELECT public_key FROM jwks WHERE id = ?").bind(kid).first<{ public_key: string }>();
    const secret = new TextEncoder().encode(publicKey?.public_key ?? "");
    expect(await statusOf(await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(secret))).toBe(401);

    const forged = btoa(
      JSON.stringify({ ...JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/"))), sub: "somebody" }),
    ).replaceAll("=", "");
    expect(await statusOf(`${head}.${forged}.${signature}`)).toBe(401);
    for (const garbage of ["", "x", "a.b.c", `${head}..${signature}`, `${token}.`]) expect(await statusOf(garbage)).toBe(401);
  });

  it("is refused after its time, for another audience, and when its user is gone", async () => {
    const { identityProvider } = await import("#root/src/services/identity/provider.ts");
    const sign = async (payload: Record<string, unknown>) =>
      (await (await identityProvider(env as Env)).api.signJWT({ body: { payload } })).token;
    const { user } = await someone();
    expect(await statusOf(await sign({ sub: user.id, exp: inAnHour() }))).toBe(200);
    expect(await statusOf(await sign({ sub: user.id, exp: Math.floor(Date.now() / 1000) - 60 }))).toBe(401);
    expect(await statusOf(await sign({ sub: user.id, exp: inAnHour(), aud: "https://other.example" }))).toBe(401);
    expect(await statusOf(await sign({ sub: user.id, exp: inAnHour(), iss: "https://other.example" }))).toBe(401);
    expect(await statusOf(await sign({ exp: inAnHour() }))).toBe(401);
    expect(await statusOf(await sign({ sub: "nobody", exp: inAnHour() }))).toBe(401);
  });
});

describe("an external issuer", () => {
  const issuer = `https://issuer-${crypto.randomUUID()}.example`;
  let pair: CryptoKeyPair;
  let configured: Partial<Env>;

  beforeAll(async () => {
    pair = await generateKeyPair("RS256", { extractable: true });
    configured = { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: "gateway" };
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "RS256" };
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      // Mimics an edge with Browser Integrity Check.
      if (!new Headers(init?.headers).has("user-agent")) return new Response(null, { status: 403 });
      const url = input instanceof Request ? input.url : String(input);
      if (url === `${issuer}/.well-known/openid-configuration`) return Response.json({ issuer, jwks_uri: `${issuer}/keys` });
      return url === `${issuer}/keys` ? Response.json({ keys: [jwk] }) : new Response(null, { status: 500 });
    });
    return () => vi.restoreAllMocks();
  });

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({ iss: issuer, aud: "gateway", exp: inAnHour(), ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .sign(pair.privateKey);
  const who = async (claims: Record<string, unknown>) => {
    const answer = await gateway(configured)("/api/dashboard/me", { headers: { authorization: `Bearer ${await sign(claims)}` } });
    return answer.status === 200 ? ((await answer.json()) as { data: { id: string; email: string; name: string } }).data : answer.status;
  };

  it("gets each of its users created once, on first use", async () => {
    const sub = crypto.randomUUID();
    const email = freshEmail();
    const [first, second] = await Promise.all([who({ sub, email, name: "Ana" }), who({ sub, email, name: "Ana" })]);
    expect(first).toMatchObject({ email, name: "Ana" });
    expect(second).toEqual(first);
    expect(await who({ sub, email: freshEmail() })).toEqual(first);
  });

  it("links an existing user only by a verified address", async () => {
    const { user } = await someone();
    const sub = crypto.randomUUID();
    expect(await who({ sub, email: user.email })).toBe(401);
    expect(await who({ sub, email: user.email, email_verified: true })).toMatchObject({ id: user.id });
  });

  it("takes an address from an account that only claimed it, and gives it to a new account that verified it", async () => {
    const email = freshEmail();
    const attacker = { sub: crypto.randomUUID(), email };
    const claimed = (await who(attacker)) as { id: string };
    const holder = { sub: crypto.randomUUID(), email, email_verified: true };
    const victim = (await who(holder)) as { id: string };
    expect(victim).toMatchObject({ email });
    expect(victim.id).not.toBe(claimed.id);
    expect(await who(attacker)).toMatchObject({ id: claimed.id, email: expect.stringMatching(/@unknown\.invalid$/) });
    expect(await who(holder)).toEqual(victim);
    const third = await who({ sub: crypto.randomUUID(), email: freshEmail() });
    const fourth = await who({ sub: crypto.randomUUID(), email: (third as { email: string }).email });
    expect(fourth).toMatchObject({ email: expect.stringMatching(/@unknown\.invalid$/) });
  });

  it("needs no email address", async () => {
    expect(await who({ sub: crypto.randomUUID() })).toMatchObject({ email: expect.stringMatching(/@unknown\.invalid$/) });
  });

  it("replaces the embedded provider: audience, algorithm and its tokens are checked against it", async () => {
    expect(await who({ sub: "a", aud: "other" })).toBe(401);
    expect(await statusOf((await someone()).token, configured)).toBe(401);
    const secret = await new SignJWT({ iss: issuer, aud: "gateway", sub: "a", exp: inAnHour() })
      .setProtectedHeader({ alg: "HS256", kid: "k1" })
      .sign(new Uint8Array(32));
    expect(await statusOf(secret, configured)).toBe(401);
    expect((await gateway(configured)("/api/auth/ok")).status).toBe(404);
  });
});

describe("an issuer that cannot be reached", () => {
  afterEach(() => vi.restoreAllMocks());

  it("makes the response 503, not 401: the token may be valid", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("network"));
    const away = { IDENTITY_ISSUER: "https://away.example", IDENTITY_AUDIENCE: "gateway" };
    expect(await statusOf((await someone()).token, away)).toBe(503);
  });
});
