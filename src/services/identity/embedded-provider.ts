// The embedded identity provider: email and password in D1, sessions, and access tokens. Only provider.ts loads it, when needed.
import { PRODUCT } from "@gateway/domain/product.ts";
import * as schema from "../../db/schema/identity.ts";
import { betterAuth } from "better-auth/minimal";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { jwt } from "better-auth/plugins/jwt";
import { databaseOf } from "../../db/database.ts";
import { currentSecret, IMPLIED_KID, secretText } from "@gateway/domain/keys/secrets.ts";
import { settingsOf, type Env } from "../../env.ts";
import { log } from "../../log.ts";
import { noting } from "./provider-outages.ts";
import { ACCEPTED_MS, SIGNING_MS, signingKeys } from "./signing-keys.ts";
import { passwordWasSet, grantBySettings } from "../users/provision.ts";
import { findUser } from "../users/user-table.ts";
import type { BetterAuthOptions, BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import * as z from "zod";
import { and, desc, eq, notInArray } from "drizzle-orm";
import { session } from "../../db/schema.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { endStreams } from "../accounts/guard.ts";

const ACCESS_TOKEN_LIFE = "15m";
/** External issuers do not report sign-outs, so sessions last a working day. */
const OUTSIDE_SESSION_SECONDS = 12 * 3_600;

async function sessionBegan(env: Env, userId: string): Promise<void> {
  await endOldestSessions(env, userId);
  const user = await findUser(env.DB, userId);
  if (user !== null) await grantBySettings(env, user);
}

export function embeddedProvider(env: Env) {
  const settings = settingsOf(env);
  const isSecure = settings.APP_URL.startsWith("https://");
  return betterAuth({
    appName: PRODUCT.name,
    baseURL: settings.APP_URL,
    basePath: "/api/auth",
    secrets: [...settings.AUTH_SECRET].map(([version, secret]) => ({ version, value: secretText(secret) })),
    // The secret is set explicitly, because otherwise the library would read an environment variable.
    secret: secretText(settings.AUTH_SECRET.get(IMPLIED_KID) ?? currentSecret(settings.AUTH_SECRET).secret),
    database: (options: BetterAuthOptions) => noting(drizzleAdapter(databaseOf(env.DB), { provider: "sqlite", schema })(options)),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      // A sign-up stores no password, because the user chooses it by an emailed link (password-links.ts).
      disableSignUp: true,
      requireEmailVerification: true,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => passwordWasSet(env, user.id),
    },
    verification: { storeIdentifier: "hashed" },
    databaseHooks: { session: { create: { after: ({ userId }) => sessionBegan(env, userId) } } },
    session: {
      // The issuer that signed the user in. Null if the user signed in with a password here.
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
        adapter: noting({ getJwks: () => signingKeys(env) }),
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
    rateLimit: { enabled: false },
    advanced: {
      // Browsers accept this prefix only from this host over HTTPS, so no other host in the domain can set it.
      cookiePrefix: isSecure ? "__Host-gateway" : "gateway",
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      // Only the platform sets this header (docs/internals/admission.md, "Invalid keys").
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    // Without this option, the library prints failed queries with their values.
    onAPIError: { throw: true },
    telemetry: { enabled: false },
    logger: { level: "error", log: (level, message) => log("identity", { level, message }) },
  });
}

const NewSession = z.object({ userId: z.string(), issuer: z.string() });

/** These functions are kept separate, because they must not be reachable over HTTP (docs/operate/signing-in.md, "Signing in"). */
export const openingSessions = {
  id: "opening-sessions",
  endpoints: {
    openSession: createAuthEndpoint.serverOnly({ method: "POST", body: NewSession, requireHeaders: true }, async (context) => {
      const { userId, issuer } = context.body;
      const { internalAdapter } = context.context;
      const user = await internalAdapter.findUserById(userId);
      if (user === null) throw new Error("a user who has just signed in is missing");
      const session = await internalAdapter.createSession(userId, false, { issuer });
      await setSessionCookie(context, { session, user });
      return { id: session.id };
    }),
  },
} satisfies BetterAuthPlugin;

/** Call after a new session: ends all but the user's newest 20 sessions. */
export async function endOldestSessions(env: Pick<Env, "DB" | "ACCOUNT_GUARD">, userId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const newest = database
    .select({ id: session.id })
    .from(session)
    .where(eq(session.userId, userId))
    .orderBy(desc(session.createdAt), desc(session.id))
    .limit(LIMITS.sessions);
  const ended = await database
    .delete(session)
    .where(and(eq(session.userId, userId), notInArray(session.id, newest)))
    .returning({ id: session.id });
  for (const { id } of ended) await endStreams(env, userId, { credential: `session:${id}` });
}
