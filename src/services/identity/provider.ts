// The embedded identity provider (docs/internals/architecture.md, "Identity"): e-mail and password on D1, sessions for the dashboard, access
// tokens (EdDSA, 15 minutes) with public keys at `/api/auth/jwks`.
import { betterAuth } from "better-auth/minimal";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { jwt } from "better-auth/plugins/jwt";
import { databaseOf } from "../../db/database.ts";
import * as schema from "../../db/schema/identity.ts";
import { currentSecret, IMPLIED_KID, secretText } from "@gateway/domain/keys/secrets.ts";
import { settingsOf, type Env } from "../../env.ts";
import { log } from "../../log.ts";
import { endOldestSessions } from "./bound-sessions.ts";
import { openingSessions } from "./open-session.ts";
import { ACCEPTED_MS, SIGNING_MS, signingKeys } from "./signing-keys.ts";
import { passwordWasSet } from "../users/confirm.ts";
import { grantBySettings } from "../users/grant-by-settings.ts";
import { findUser } from "../users/user-table.ts";

const ACCESS_TOKEN_LIFE = "15m";
/** An issuer does not say when it signs somebody out, so its word holds for a working day. */
const OUTSIDE_SESSION_SECONDS = 12 * 3_600;

export type IdentityProvider = ReturnType<typeof makeProvider>;

const providers = new WeakMap<Env, IdentityProvider>();

/** One per isolate and set of bindings. */
export function identityProvider(env: Env): IdentityProvider {
  const known = providers.get(env);
  if (known !== undefined) return known;
  const provider = makeProvider(env);
  providers.set(env, provider);
  return provider;
}

async function sessionBegan(env: Env, userId: string): Promise<void> {
  await endOldestSessions(env, userId);
  const user = await findUser(env.DB, userId);
  if (user !== null) await grantBySettings(env, user);
}

function makeProvider(env: Env) {
  const settings = settingsOf(env);
  const isSecure = settings.APP_URL.startsWith("https://");
  return betterAuth({
    appName: "Messaging Gateway",
    baseURL: settings.APP_URL,
    basePath: "/api/auth",
    secrets: [...settings.AUTH_SECRET].map(([version, secret]) => ({ version, value: secretText(secret) })),
    // Opens what was sealed before secrets had numbers. Without one the library would look for it in the environment.
    secret: secretText(settings.AUTH_SECRET.get(IMPLIED_KID) ?? currentSecret(settings.AUTH_SECRET).secret),
    database: drizzleAdapter(databaseOf(env.DB), { provider: "sqlite", schema }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      // A sign-up stores no password: it is chosen by a mailed link, as after a forgotten one (password-links.ts).
      disableSignUp: true,
      requireEmailVerification: true,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => passwordWasSet(env, user.id),
    },
    // A copy of the database must not hold tokens that can be used.
    verification: { storeIdentifier: "hashed" },
    databaseHooks: { session: { create: { after: ({ userId }) => sessionBegan(env, userId) } } },
    session: {
      // Who signed its user in: null for the password here.
      additionalFields: { issuer: { type: "string", required: false, input: false } },
      ...(settings.IDENTITY_ISSUER === "" ? {} : { expiresIn: OUTSIDE_SESSION_SECONDS, disableSessionRefresh: true }),
    },
    user: {
      additionalFields: {
        role: { type: "string", required: false, defaultValue: "user", input: false },
        status: { type: "string", required: false, defaultValue: "active", input: false },
      },
    },
    plugins: [
      jwt({
        jwks: { keyPairConfig: { alg: "EdDSA", crv: "Ed25519" }, rotationInterval: SIGNING_MS / 1_000, gracePeriod: ACCEPTED_MS / 1_000 },
        adapter: { getJwks: () => signingKeys(env) },
        jwt: {
          issuer: settings.APP_URL,
          audience: settings.APP_URL,
          expirationTime: ACCESS_TOKEN_LIFE,
          definePayload: ({ user }) => ({ email: user.email, name: user.name }),
        },
        disableSettingJwtHeader: true,
      }),
      openingSessions,
    ],
    // Requests are counted before they get here (address-guards.ts).
    rateLimit: { enabled: false },
    advanced: {
      // Browsers take a cookie of this name from this very host alone, by https, for the whole site: no other host of the domain can set one.
      cookiePrefix: isSecure ? "__Host-gateway" : "gateway",
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      // Only the platform sets this header (docs/internals/admission.md, "Invalid keys").
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    telemetry: { enabled: false },
    logger: { level: "error", log: (level, message) => log("identity", { level, message }) },
  });
}
