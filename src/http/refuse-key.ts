// Every bad key gets the same response (docs/internals/admission.md, "Invalid keys").
import { proxyDurable } from "itty-durable";
import { LruMap } from "@gateway/domain/lru-map.ts";
import { type GuardVerdict, guardName } from "@gateway/domain/admission/address-guard.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import { settingsOf } from "../env.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { AppContext } from "./app-env.ts";

/** When the block of each guard name ends (Unix ms). Cached per isolate, so that a flood of requests does not reach the object. */
const BLOCKED_CACHE_SIZE = 10_000;
const blocked = new LruMap<number>(BLOCKED_CACHE_SIZE);

/** Responds with 401, or with 429 for a blocked address. */
export async function refuseKey(c: AppContext, fail: (c: AppContext, failure: Failure) => Response): Promise<Response> {
  const failure = await failureOfBadKey(c);
  if (failure.code === "unauthorized") c.header("WWW-Authenticate", "Bearer");
  return fail(c, failure);
}

export async function failureOfBadKey(c: AppContext): Promise<Failure> {
  const now = Date.now();
  const address = c.req.header("cf-connecting-ip") ?? "unknown";
  const tooMany = (ms: number): Failure => ({ code: "too_many_attempts", retryAfter: retryAfterSeconds(ms) });
  const name = guardName(currentSecret(settingsOf(c.env).KEY_SECRET).secret, address);
  const blockedForMs = (blocked.get(name) ?? 0) - now;
  // Trusts a time only if it is plausible. If the clock was set back, the object decides.
  if (blockedForMs > 0 && blockedForMs <= LIMITS.invalidKeys.blockMs) return tooMany(blockedForMs);
  const verdict = await countInvalidKey(c.env.ADDRESS_GUARD, name, now);
  if (!verdict.blocked) return { code: "unauthorized" };
  blocked.set(name, now + verdict.retryAfterMs);
  return tooMany(verdict.retryAfterMs);
}

/** Logs that the key was issued under an older entry of KEY_SECRET (docs/operate/secrets.md, "A new KEY_SECRET"). */
export function noteOldKey(c: AppContext, kid: number): void {
  if (kid !== currentSecret(settingsOf(c.env).KEY_SECRET).kid) c.get("facts").old_key_kid = kid;
}

type AddressGuardStub = { get(name: string): { fail(now: number): Promise<GuardVerdict> } };

export function countInvalidKey(namespace: DurableObjectNamespace, name: string, now: number): Promise<GuardVerdict> {
  const stub = proxyDurable(namespace, { name: "ADDRESS_GUARD", parse: true }) as AddressGuardStub;
  return stub.get(name).fail(now);
}
