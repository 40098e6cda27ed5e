// How the sandbox differs from production: it stores emails, and its limits can be switched off.
import type { SubscriptionTerms } from "../services/subscriptions/set.ts";
import type { Deployment } from "../../durable-objects/shared/deployment.ts";
import { EXACT_LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "../env.ts";
import { mailStore } from "./mail-store.ts";
import { countedD1 } from "./storage-counts.ts";

const envs = new WeakMap<Env, Env>();

export function sandboxEnv(env: Env): Env {
  const known = envs.get(env);
  if (known !== undefined) return known;
  const changed = { ...env, DB: countedD1(env.DB), MAIL: mailStore(env.DB) };
  envs.set(env, changed);
  return changed;
}

type SandboxVars = { SANDBOX_STRICT?: string; SANDBOX_NO_LIMITS?: string; SANDBOX_PROXY_CHECK_SECONDS?: string };

const PROXY_CHECK_SECONDS = 60;

/** `--no-limits` lifts the burst and repeated-read limits. Without `--strict`, webhooks may be sent to this machine. */
export function sandboxDeployment(env: Env): Deployment {
  const vars: SandboxVars = env as SandboxVars;
  const unlimited = { burst: Number.POSITIVE_INFINITY, repeatedRead: Number.POSITIVE_INFINITY };
  return {
    limits: vars.SANDBOX_NO_LIMITS === "true" ? unlimited : EXACT_LIMITS,
    loopbackReceivers: vars.SANDBOX_STRICT !== "true",
    localGraph: true,
    proxyCheckMs: Number(vars.SANDBOX_PROXY_CHECK_SECONDS ?? PROXY_CHECK_SECONDS) * 1_000,
  };
}

/** Every sandbox user has this subscription unless it has been ended. */
export const SANDBOX_TERMS: SubscriptionTerms = { plan: "sandbox", status: "active", maxInstances: 10_000, currentPeriodEnd: null };

export function isLoopback(url: URL): boolean {
  return url.hostname === "localhost" || url.hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(url.hostname);
}
