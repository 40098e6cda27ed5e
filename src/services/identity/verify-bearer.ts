// Verifies access tokens of the embedded provider, or of a configured OpenID Connect issuer (docs/internals/architecture.md, "Identity").
import { emailAddress, nameFromIssuer } from "@gateway/domain/people/names-and-emails.ts";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from "jose";
import { settingsOf, type Env } from "../../env.ts";
import { readSigningKeys } from "./signing-keys.ts";

export type Bearer = { issuer: string | null; subject: string; email: string | null; emailVerified: boolean; name: string | null };

/** Only asymmetric algorithms, so that neither `none` nor an HMAC under the public key is accepted. */
const OWN_ALGORITHMS = ["EdDSA"];
const FOREIGN_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Returns null for an invalid token. Throws only when the issuer's keys cannot be fetched. */
export async function verifyBearer(env: Env, token: string): Promise<Bearer | null> {
  const settings = settingsOf(env);
  const own = settings.IDENTITY_ISSUER === "";
  try {
    const { payload } = await jwtVerify(token, own ? ownKeys(env) : foreignKeys(env), {
      issuer: own ? settings.APP_URL : settings.IDENTITY_ISSUER,
      audience: own ? settings.APP_URL : settings.IDENTITY_AUDIENCE,
      algorithms: own ? OWN_ALGORITHMS : FOREIGN_ALGORITHMS,
      requiredClaims: ["exp", "sub"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    return bearerOf(payload, own ? null : settings.IDENTITY_ISSUER);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

export function expiryOfBearer(authorization: string | undefined): number | null {
  const token = /^Bearer (\S+)$/i.exec(authorization?.trim() ?? "")?.[1];
  const expiry = token === undefined ? undefined : decodeJwt(token).exp;
  return expiry === undefined ? null : expiry * 1000;
}

function bearerOf(payload: JWTPayload, issuer: string | null): Bearer | null {
  if (typeof payload.sub !== "string" || payload.sub === "") return null;
  return { issuer, subject: payload.sub, ...addressIn(payload), name: nameFromIssuer(payload["name"]) };
}

export function addressIn(claims: Readonly<Record<string, unknown>>): Pick<Bearer, "email" | "emailVerified"> {
  const email = emailAddress.safeParse(claims["email"]);
  return email.success ? { email: email.data, emailVerified: claims["email_verified"] === true } : { email: null, emailVerified: false };
}

/** True for an error of jose that is caused by the token itself, not by a failed fetch of the keys. */
function isRefusal(error: unknown): boolean {
  return error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== "ERR_JOSE_GENERIC";
}

function ownKeys(env: Env): JWTVerifyGetKey {
  return async (header, token) => createLocalJWKSet({ keys: await readSigningKeys(env, header.kid ?? null) })(header, token);
}

type Fetch = (url: string, init: object) => Promise<Response>;

const USER_AGENT = "Service-Identity/1.0";

const remoteKeys = new Map<string, JWTVerifyGetKey>();

function foreignKeys(env: Env): JWTVerifyGetKey {
  const issuer = settingsOf(env).IDENTITY_ISSUER;
  let keys = remoteKeys.get(issuer);
  if (keys === undefined) {
    keys = discoveredKeys(issuer, (url, init) => (env.ISSUER ?? globalThis).fetch(url, init));
    remoteKeys.set(issuer, keys);
  }
  return keys;
}

function discoveredKeys(issuer: string, fetched: Fetch): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | null = null;
  return async (header, token) => {
    found ??= discover(issuer, fetched).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return (await found)(header, token);
  };
}

async function discover(issuer: string, fetched: Fetch): Promise<JWTVerifyGetKey> {
  const response = await fetched(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`, {
    headers: { "user-agent": USER_AGENT },
    signal: AbortSignal.timeout(5_000),
  });
  const found: unknown = response.ok ? await response.json() : null;
  if (typeof found !== "object" || found === null || !("jwks_uri" in found) || !("issuer" in found))
    throw new Error("the identity issuer has no OpenID configuration");
  if (found.issuer !== issuer || typeof found.jwks_uri !== "string")
    throw new Error("the identity issuer's OpenID configuration names another issuer");
  return createRemoteJWKSet(new URL(found.jwks_uri), { timeoutDuration: 5_000, [customFetch]: fetched });
}
