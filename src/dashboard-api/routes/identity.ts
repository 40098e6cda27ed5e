// Who is signed in.
import { type Env, settingsOf } from "../../env.ts";
import { isoOfMsOrNull } from "../../http/times.ts";
import { findSubscription } from "../../services/subscriptions/subscription.ts";
import type { User } from "../../services/users/user-table.ts";
import { authenticate } from "../authenticate.ts";
import { action } from "../route.ts";

export const identityRoutes = [
  action("GET /session", "public", async (c) => {
    const person = await authenticate(c);
    const user = person.ok ? renderUser(person.value) : null;
    const { IDENTITY_ISSUER, BRIDGE_NETWORK } = settingsOf(c.env);
    return { ok: true, value: { data: { user, identity: identityOf(IDENTITY_ISSUER), sandbox: BRIDGE_NETWORK === "local" } } };
  }),
  action("GET /me", "user", async (c, user) => ({
    ok: true,
    value: { data: { ...renderUser(user), subscription: await subscriptionOf(c.env, user) } },
  })),
];

function identityOf(issuer: string): { kind: "embedded" | "issuer"; name: string } {
  return issuer === "" ? { kind: "embedded", name: "" } : { kind: "issuer", name: new URL(issuer).hostname };
}

function renderUser({ id, email, name, role }: User) {
  return { id, email, name, role };
}

async function subscriptionOf(env: Env, user: User) {
  const current = await findSubscription(env.DB, user.id);
  if (current === null) return null;
  const { plan, status, maxInstances, currentPeriodEnd } = current;
  return { plan, status, max_instances: maxInstances, current_period_end: isoOfMsOrNull(currentPeriodEnd) };
}
