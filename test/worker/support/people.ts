// Signed-in users with their own connections.
import { env } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import { issueToken } from "#root/src/services/identity/sessions.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { type User, createUser } from "#root/src/services/users/user-table.ts";
import { scriptedConnections } from "./gateway.ts";

export type Someone = { user: User; token: string; headers: { authorization: string; "content-type": string } };

export function freshEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

/** A user with a token; `maxConnections` null means no subscription. */
export async function someone(maxConnections: number | null = 10): Promise<Someone> {
  const user = await createUser(env.DB, freshEmail(), "Someone");
  const all: Env = { ...env, ...scriptedConnections(() => ({ ok: true, json: "{}" })) };
  const terms = { plan: "test", status: "active", maxInstances: maxConnections ?? 0, currentPeriodEnd: null } as const;
  if (maxConnections !== null) await setSubscription(all, user.id, terms, Date.now());
  const token = await issueToken(env as Env, user, Math.floor(Date.now() / 1000) + 600);
  return { user, token, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
}
