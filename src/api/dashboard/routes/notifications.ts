// Push notifications in the browser of the caller's session. Bearer tokens are refused, because they have no session.
import { fieldIssue } from "@gateway/domain/failures/field-problems.ts";
import { checkOutgoingUrl } from "@gateway/domain/egress/outgoing-url.ts";
import { toBase64Url } from "@gateway/domain/base64.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { findSubscriptionKey, storeSubscription } from "#root/src/services/push/subscriptions.ts";
import { currentServerKey, isBrowserKey, serverKey } from "#root/src/services/push/web-push.ts";
import { callAs, type ConnectionMember } from "../call-as.ts";
import { currentSession } from "../authenticate.ts";
import { action } from "../route.ts";

export const notificationRoutes = [
  action("GET /push", "user", async (c) => {
    const session = await currentSession(c);
    if (session === null) return fail("forbidden");
    const { id, publicKey } = currentServerKey(settingsOf(c.env).STATE_SECRET, Date.now());
    const stored = await findSubscriptionKey(c.env.DB, session);
    return { ok: true, value: { data: { key_id: id, public_key: toBase64Url(publicKey), stored_key_id: stored } } };
  }),
  action("PUT /push", "user", async (c, _user, { body: { endpoint, p256dh, auth, key_id: keyId, language } }) => {
    const session = await currentSession(c);
    if (session === null) return fail("forbidden");
    const { APP_URL, BASE_URL, STATE_SECRET } = settingsOf(c.env);
    if (!checkOutgoingUrl(endpoint, { own: [APP_URL, BASE_URL], loopback: c.get("allowsLoopback") }).ok) return fail("url_not_allowed");
    const issues = [
      ...(isBrowserKey({ p256dh, auth }) ? [] : [fieldIssue("p256dh", "not_a_browser_key")]),
      ...(serverKey(STATE_SECRET, keyId, Date.now()) === null ? [fieldIssue("key_id", "old_push_key")] : []),
    ];
    if (issues.length > 0) return fail("validation_error", { issues });
    await storeSubscription(c.env.DB, { sessionId: session, endpoint, p256dh, auth, keyId, language });
    return { ok: true, value: { message: "The subscription is stored." } };
  }),
  action("GET /connections/{id}/notifications", "member", (c, member) => ofSession(c, member, null)),
  action("PUT /connections/{id}/notifications", "member", (c, member, { body }) => ofSession(c, member, body)),
];

async function ofSession(c: AppContext, member: ConnectionMember, change: { shows_text: boolean | null } | null) {
  const session = await currentSession(c);
  if (session === null) return fail("forbidden");
  const result: Outcome<{ shows_text: boolean | null }> =
    change === null
      ? await callAs(c, member, "notifications.get", { session })
      : await callAs(c, member, "notifications.set", { session, ...change });
  return result.ok ? { ok: true as const, value: { data: result.value } } : result;
}
