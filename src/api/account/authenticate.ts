// Account API authentication. Looks up the key and the user on every request, so that a revocation takes effect at once.
import { kidOfAccountKey } from "@gateway/domain/keys/account-key.ts";
import { keyHash } from "@gateway/domain/keys/api-key.ts";
import { scopesOfKey, scopesOfRole } from "@gateway/domain/keys/scopes.ts";
import { isAllowedFrom } from "@gateway/domain/keys/allowed-ips.ts";
import { settingsOf } from "#root/src/env.ts";
import { type AppContext, noteLater } from "#root/src/http/app-env.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { noteOldKey, refuseKey } from "#root/src/http/refuse-key.ts";
import { recordKeyUse, type Identified, identifyUser } from "#root/src/services/callers/identify.ts";
import { recordRefusedAddress } from "#root/src/services/account-keys/change.ts";
import { identifyAtGuard } from "#root/src/services/accounts/guard.ts";
import { verifyBearer } from "#root/src/services/identity/verify-bearer.ts";
import { recordSeen } from "#root/src/services/users/user-table.ts";
import { provisionUser } from "#root/src/services/users/provision.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { UUID } from "@gateway/protocol/ids.ts";
import type { AccountContext } from "../context.ts";

export type Authenticated = { ok: true; context: Omit<AccountContext, "routes"> } | { ok: false; response: Response };

/** `instance` is the `{instanceId}` in the path as received, or null. */
export async function authenticate(c: AppContext, instance: string | null): Promise<Authenticated> {
  const uuid = instance !== null && UUID.test(instance) ? instance : null;
  const apiKey = c.req.header("x-api-key");
  return apiKey === undefined ? byBearer(c, uuid) : byKey(c, apiKey.trim(), uuid);
}

async function byKey(c: AppContext, key: string, uuid: string | null): Promise<Authenticated> {
  const now = Date.now();
  const kid = kidOfAccountKey(settingsOf(c.env).KEY_SECRET, key);
  if (kid === null) return { ok: false, response: await refuseKey(c, (_, failure) => englishFailure(c, withHint(failure, key, "header"))) };
  const found = await identifyAtGuard(c.env, keyHash(key), uuid);
  if (found === null || found.key === null || (found.key.expiresAt ?? Number.POSITIVE_INFINITY) <= now)
    return { ok: false, response: await refuseKey(c, englishFailure) };
  const address = c.req.header("cf-connecting-ip") ?? null;
  if (!isAllowedFrom(found.key.allowedIps, address)) {
    noteLater(c, recordRefusedAddress(c.env.DB, found.key.id, address ?? "unknown", now));
    return { ok: false, response: await refuseKey(c, englishFailure) };
  }
  noteOldKey(c, kid);
  noteLater(c, recordKeyUse(c.env.DB, found.key, now));
  return authenticated(c, found, now);
}

async function byBearer(c: AppContext, uuid: string | null): Promise<Authenticated> {
  const authorization = c.req.header("authorization");
  if (authorization === undefined) return { ok: false, response: await refuseKey(c, englishFailure) };
  const token = /^Bearer (\S+)$/i.exec(authorization.trim())?.[1];
  // Without the issuer's keys, no token can be verified. The token may still be valid, so this is not a 401.
  const bearer = token === undefined ? null : await verifyBearer(c.env, token).catch(() => "unavailable" as const);
  if (bearer === "unavailable") return { ok: false, response: englishFailure(c, bearer) };
  const userId = bearer === null ? null : bearer.issuer === null ? bearer.subject : ((await provisionUser(c.env, bearer))?.id ?? null);
  const found = userId === null ? null : await identifyUser(c.env.DB, userId, uuid);
  if (found !== null) return authenticated(c, found, Date.now());
  // An invalid token does not count against the client's address, because nobody can guess signed tokens and expired ones are common.
  c.header("WWW-Authenticate", "Bearer");
  return { ok: false, response: englishFailure(c, withHint({ code: "unauthorized" }, token ?? "", "bearer")) };
}

/** Adds a hint for the wrong kind of credential. Checks only the prefix, so that the hint does not reveal whether a key is valid. */
function withHint(failure: Failure, credential: string, from: "header" | "bearer"): Failure {
  if (failure.code !== "unauthorized") return failure;
  if (credential.startsWith("svc_")) return { ...failure, details: { reason: "connection_key" } };
  return credential.startsWith("acc_") && from === "bearer" ? { ...failure, details: { reason: "key_as_bearer" } } : failure;
}

function authenticated(c: AppContext, { user, key, access }: Identified, now: number): Authenticated {
  c.get("facts").user = user.id;
  if (user.status === "suspended") return { ok: false, response: englishFailure(c, "account_suspended") };
  noteLater(c, recordSeen(c.env.DB, user, now));
  const scopes = key === null ? scopesOfRole(user.role) : scopesOfKey(key.scopes, user.role);
  const subject = key === null ? `user:${user.id}` : `key:${key.id}`;
  return {
    ok: true,
    context: { c, user, key, subject, scopes, access, now, appUrl: settingsOf(c.env).APP_URL, oneTimeSecrets: new Map() },
  };
}
