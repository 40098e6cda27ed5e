import type { z } from "zod";
import { validateCustomHeaders } from "@gateway/domain/webhooks/custom-headers.ts";
import { checkOutgoingUrl, type UrlPolicy } from "@gateway/domain/egress/outgoing-url.ts";
import { settingsOf, webhookHosts } from "#root/src/env.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { WebhookChanges } from "#root/src/services/account-webhooks/change.ts";
import type { NewWebhook } from "#root/src/services/account-webhooks/create.ts";
import { type AccountWebhook, findWebhook } from "#root/src/services/account-webhooks/find.ts";
import { listInstances } from "#root/src/services/connections/list.ts";
import type { newWebhook, webhookChanges } from "./view.ts";
import { onlyInstances, mayAccess, type AccountContext } from "../context.ts";

type Given = z.output<typeof newWebhook>;

/** Fails with `url_not_allowed`, `validation_error`, `instance_not_found` or `forbidden`. */
export async function readNewWebhook(
  context: AccountContext,
  parsed: Omit<Given, "instance_id"> & Pick<Partial<Given>, "instance_id">,
): Promise<Outcome<NewWebhook>> {
  const { url, events, secret = null, description = null, instance_id: instanceId = null } = parsed;
  const headers = validateCustomHeaders(parsed.headers ?? {});
  if (!headers.ok) return headers;
  const allowed = checkOutgoingUrl(url, policyOf(context));
  if (!allowed.ok) return allowed;
  return {
    ok: true,
    value: {
      userId: context.user.id,
      url,
      events,
      secret,
      description,
      instanceId,
      headers: headers.value,
      retryCount: parsed.retry_count,
      timeoutMs: parsed.timeout_ms,
      isActive: true,
    },
  };
}

export async function readWebhookChanges(
  context: AccountContext,
  parsed: z.output<typeof webhookChanges>,
): Promise<Outcome<WebhookChanges>> {
  const { url, events, secret, description, instance_id, retry_count, timeout_ms, is_active } = parsed;
  const headers = parsed.headers === undefined ? null : validateCustomHeaders(parsed.headers ?? {});
  if (headers !== null && !headers.ok) return headers;
  const allowed = url === undefined ? null : checkOutgoingUrl(url, policyOf(context));
  if (allowed !== null && !allowed.ok) return allowed;
  return {
    ok: true,
    value: {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(secret === undefined ? {} : { secret }),
      ...(description === undefined ? {} : { description }),
      ...(instance_id === undefined ? {} : { instanceId: instance_id }),
      ...(headers === null ? {} : { headers: headers.value }),
      ...(retry_count === undefined ? {} : { retryCount: retry_count }),
      ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
      ...(is_active === undefined ? {} : { isActive: is_active }),
    },
  };
}

/** A shared instance's events go only to its owner's endpoints. Fails with `instance_not_found` or `forbidden`. */
export async function mayListenTo(context: AccountContext, instanceId: string | null): Promise<Outcome<null>> {
  if (instanceId === null) return onlyInstances(context) === null ? { ok: true, value: null } : fail("forbidden");
  const among = [instanceId];
  const [found] = await listInstances(context.c.env.DB, context.user.id, { status: null, kind: null, q: null, among, after: 0, limit: 1 });
  if (found === undefined) return fail("instance_not_found");
  const may = found.role === "owner" && mayAccess(context, instanceId);
  return may ? { ok: true, value: null } : fail("forbidden");
}

/** Fails with `webhook_not_found`, or with `forbidden` for a key that is restricted to other instances. */
export async function webhookOf(context: AccountContext, id: string): Promise<Outcome<AccountWebhook>> {
  const row = await findWebhook(context.c.env.DB, context.user.id, id);
  if (row === null) return fail("webhook_not_found");
  return isWithin(context, row) ? { ok: true, value: row } : fail("forbidden");
}

export function isWithin(context: AccountContext, { instanceId }: AccountWebhook): boolean {
  return instanceId === null ? onlyInstances(context) === null : mayAccess(context, instanceId);
}

function policyOf({ c }: AccountContext): UrlPolicy {
  const { APP_URL, BASE_URL } = settingsOf(c.env);
  return { own: [APP_URL, BASE_URL], loopback: c.get("allowsLoopback"), listed: webhookHosts(c.env) };
}
