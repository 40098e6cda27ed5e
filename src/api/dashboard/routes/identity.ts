import { deviceOf } from "@gateway/domain/people/signing-in.ts";
import { type Env, settingsOf, webhookHosts } from "#root/src/env.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { countOwned } from "#root/src/services/connections/access.ts";
import { endOtherSessions, endSession, endSignedInSession, listSessions, type Session } from "#root/src/services/identity/sessions.ts";
import { findSubscription } from "#root/src/services/subscriptions/subscription.ts";
import { rename, type User } from "#root/src/services/users/user-table.ts";
import { authenticate, currentSession, isFromHere } from "../authenticate.ts";
import { action } from "../route.ts";

export const identityRoutes = [
  action("GET /session", "public", async (c) => {
    const person = await authenticate(c);
    const user = person.ok ? renderUser(person.value) : null;
    const suspended = !person.ok && person.failure.code === "account_suspended";
    const sandbox = settingsOf(c.env).BRIDGE_NETWORK === "local";
    const webhook_hosts = user === null ? [] : [...webhookHosts(c.env)];
    const data = { user, suspended, identity: identityOf(c.env), sandbox, webhook_hosts, support: supportOf(c.env) };
    return { ok: true, value: { data } };
  }),
  action("POST /sign-out", "public", async (c) => {
    if (!isFromHere(c)) return fail("forbidden");
    for (const cookie of await endSignedInSession(c.env, c.req.raw.headers)) c.header("Set-Cookie", cookie, { append: true });
    return { ok: true, value: { message: "Signed out." } };
  }),
  action("GET /me", "user", async (c, user) => ({ ok: true, value: { data: await renderMe(c.env, user) } })),
  action("PATCH /me", "user", async (c, user, { body: { name } }) => {
    await rename(c.env.DB, user.id, name);
    return { ok: true, value: { data: await renderMe(c.env, { ...user, name }) } };
  }),
  action("GET /sessions", "user", async (c, user) => {
    const [sessions, current] = await Promise.all([listSessions(c.env, user.id, Date.now()), currentSession(c)]);
    return { ok: true, value: { data: sessions.map((session) => renderSession(session, session.id === current)) } };
  }),
  action("DELETE /sessions", "user", async (c, user) => ({
    ok: true,
    value: { data: { count: await endOtherSessions(c.env, user.id, await currentSession(c)) } },
  })),
  action("DELETE /sessions/{session_id}", "user", async (c, user, { params }) => {
    // Ending a session that has already ended is a success.
    await endSession(c.env, user.id, params.session_id);
    return { ok: true, value: { message: "The session has ended." } };
  }),
];

function identityOf(env: Env): { kind: "embedded" | "issuer"; name: string } {
  const { IDENTITY_ISSUER, IDENTITY_NAME } = settingsOf(env);
  if (IDENTITY_ISSUER === "") return { kind: "embedded", name: "" };
  return { kind: "issuer", name: IDENTITY_NAME === "" ? new URL(IDENTITY_ISSUER).hostname : IDENTITY_NAME };
}

function supportOf(env: Env): { name: string; email: string; phone: string } | null {
  const { SUPPORT_NAME: name, SUPPORT_EMAIL: email, SUPPORT_PHONE: phone } = settingsOf(env);
  return name === "" && email === "" && phone === "" ? null : { name, email, phone };
}

function renderUser({ id, email, name, role }: User) {
  return { id, email, name, role };
}

async function renderMe(env: Env, user: User) {
  const [subscription, instances] = await Promise.all([subscriptionOf(env, user), countOwned(env.DB, user.id)]);
  const { BILLING_URL } = settingsOf(env);
  return { ...renderUser(user), subscription, usage: { instances }, billing_url: BILLING_URL === "" ? null : BILLING_URL };
}

async function subscriptionOf(env: Env, user: User) {
  const current = await findSubscription(env.DB, user.id);
  if (current === null) return null;
  const { plan, status, maxInstances, currentPeriodEnd } = current;
  return { plan, status, max_instances: maxInstances, current_period_end: isoOfMsOrNull(currentPeriodEnd) };
}

function renderSession({ id, userAgent, createdAt, lastUsedAt, expiresAt }: Session, current: boolean) {
  const [created_at, last_used_at, expires_at] = [createdAt, lastUsedAt, expiresAt].map((at) => isoOfMs(at.getTime())) as [
    string,
    string,
    string,
  ];
  return { id, current, ...deviceOf(userAgent), created_at, last_used_at, expires_at };
}
