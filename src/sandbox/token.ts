// `POST /sandbox/token`: an access token for any user, without a password.
import * as z from "zod";
import type { Env } from "../env.ts";
import { endStreams } from "../services/accounts/guard.ts";
import { issueToken } from "../services/identity/sessions.ts";
import { claimShares } from "../services/shares/shares.ts";
import { setSubscription } from "../services/subscriptions/set.ts";
import { findSubscription } from "../services/subscriptions/subscription.ts";
import { findUserByEmail, createUser, setRole } from "../services/users/user-table.ts";
import { SANDBOX_TERMS } from "./sandbox-env.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

export const TokenRequest = z.strictObject({
  email: z.email(),
  /** Absent: new users get a subscription; existing users keep theirs. */
  subscription: z.literal("active").nullable().optional(),
  role: z.enum(["user", "admin"]).optional(),
});

/** Long, so that long test runs need only one token. */
const TOKEN_LIFE_SECONDS = DAY_SECONDS;

export async function sandboxToken(env: Env, request: z.infer<typeof TokenRequest>, now: number) {
  const known = await findUserByEmail(env.DB, request.email);
  const user = known ?? (await createUser(env.DB, request.email, request.email.split("@")[0] ?? request.email));
  await claimShares(env.DB, user.id);
  if (request.role !== undefined && request.role !== user.role) {
    await setRole(env.DB, user.id, request.role);
    await endStreams(env, user.id);
  }
  const requested = request.subscription === undefined && known === null ? "active" : request.subscription;
  if (requested === "active") await setSubscription(env, user.id, SANDBOX_TERMS, now);
  if (requested === null && (await findSubscription(env.DB, user.id)) !== null) {
    await setSubscription(env, user.id, { ...SANDBOX_TERMS, status: "canceled" }, now);
  }
  const expiresAt = Math.floor(now / 1000) + TOKEN_LIFE_SECONDS;
  return { access_token: await issueToken(env, user, expiresAt), expires_at: new Date(expiresAt * 1000).toISOString() };
}
