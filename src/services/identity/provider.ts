// The embedded identity provider (docs/architecture.md, "Identity"): e-mail and password on D1, sessions for the dashboard, access
// tokens (EdDSA, 15 minutes) with public keys at `/api/auth/jwks`.
import { betterAuth } from "better-auth/minimal";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { bearer } from "better-auth/plugins/bearer";
import { jwt } from "better-auth/plugins/jwt";
import { waitUntil } from "cloudflare:workers";
import { databaseOf } from "../../db/database.ts";
import * as schema from "../../db/schema/identity.ts";
import { currentSecret, secretText } from "../../domain/keys/secrets.ts";
import { settingsOf, type Env } from "../../env.ts";
import { sendMail } from "../mail/send.ts";

const ACCESS_TOKEN_LIFE = "15m";

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

function makeProvider(env: Env) {
  const settings = settingsOf(env);
  return betterAuth({
    appName: "Messaging Gateway",
    baseURL: settings.APP_URL,
    basePath: "/api/auth",
    secret: secretText(currentSecret(settings.AUTH_SECRET).secret),
    database: drizzleAdapter(databaseOf(env.DB), { provider: "sqlite", schema }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      // Shares are granted to an e-mail address, so an address has to be verified before it can sign in.
      requireEmailVerification: true,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, url }) => {
        await sendMail(env, {
          to: user.email,
          subject: "Redefinir senha / Reset your password",
          text: `Para escolher uma nova senha, abra este link na próxima hora:\n${url}\n\nTo choose a new password, open the link above within the hour.`,
        });
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: async ({ user, url }) => {
        await sendMail(env, {
          to: user.email,
          subject: "Confirme seu e-mail / Confirm your e-mail",
          text: `Para confirmar seu e-mail, abra este link na próxima hora:\n${url}\n\nTo confirm your e-mail, open the link above within the hour.`,
        });
      },
    },
    user: {
      additionalFields: {
        role: { type: "string", required: false, defaultValue: "user", input: false },
        status: { type: "string", required: false, defaultValue: "active", input: false },
      },
    },
    plugins: [
      bearer(),
      jwt({
        jwks: { keyPairConfig: { alg: "EdDSA", crv: "Ed25519" } },
        jwt: {
          issuer: settings.APP_URL,
          audience: settings.APP_URL,
          expirationTime: ACCESS_TOKEN_LIFE,
          definePayload: ({ user }) => ({ email: user.email, name: user.name }),
        },
        disableSettingJwtHeader: true,
      }),
    ],
    rateLimit: {
      enabled: true,
      storage: "database",
      modelName: "rateLimit",
      window: 60,
      max: 120,
      customRules: {
        "/sign-in/*": { window: 60, max: 10 },
        "/sign-up/*": { window: 600, max: 10 },
        "/request-password-reset": { window: 600, max: 5 },
      },
    },
    advanced: {
      cookiePrefix: "gateway",
      // Only the platform sets this header (docs/admission.md, "Invalid keys").
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
      // Mails go out after the answer, so that its timing does not reveal whether an account exists.
      backgroundTasks: { handler: (task) => waitUntil(task) },
    },
    telemetry: { enabled: false },
    logger: { level: "error", log: (level, message) => console.log(JSON.stringify({ event: "identity", level, message })) },
  });
}
