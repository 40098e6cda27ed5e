// Webhook endpoints (docs/account-api.md, "Webhook endpoints").
import { z } from "@hono/zod-openapi";
import { changeWebhook, removeWebhook } from "../../services/account-webhooks/change.ts";
import { createWebhook } from "../../services/account-webhooks/create.ts";
import { type AccountWebhook, findWebhook, listWebhooks } from "../../services/account-webhooks/find.ts";
import { openSecret } from "../../services/account-webhooks/secret.ts";
import { renderWebhook } from "./render.ts";
import { action } from "../route.ts";
import { message, messageResult } from "../fields.ts";
import { newWebhook, Webhook, webhookChanges } from "./schemas.ts";
import type { RequestContext } from "../request-context.ts";
import { isWithin, mayListenTo, readNewWebhook, readWebhookChanges, webhookOf } from "./endpoints.ts";

const params = z.object({ webhookId: z.string().max(64).openapi({ format: "uuid" }) });

export const webhookRoutes = [
  action({
    method: "post",
    path: "/webhooks",
    tag: "webhooks",
    scope: "manage",
    status: 201,
    noStore: true,
    summary: "Registers a webhook endpoint",
    body: newWebhook,
    act: async (context, { body }) => {
      const read = await readNewWebhook(context, body);
      if (!read.ok) return read;
      const may = await mayListenTo(context, read.value.instanceId);
      if (!may.ok) return may;
      const made = await createWebhook(context.c.env, read.value, context.now);
      return made.ok ? { ok: true, value: renderWebhook(made.value, true) } : made;
    },
    response: z.object({ data: Webhook }),
    render: withSecret,
  }),
  action({
    method: "get",
    path: "/webhooks",
    tag: "webhooks",
    scope: "read",
    noStore: true,
    summary: "The account's webhook endpoints, oldest first",
    act: async (context) => {
      const rows = (await listWebhooks(context.c.env.DB, context.user.id)).filter((row) => isWithin(context, row));
      return { ok: true, value: await Promise.all(rows.map((row) => whole(context, row))) };
    },
    response: z.object({ data: z.array(Webhook) }),
    render: (data) => ({ data }),
  }),
  action({
    method: "get",
    path: "/webhooks/{webhookId}",
    tag: "webhooks",
    scope: "read",
    noStore: true,
    summary: "One webhook endpoint",
    params,
    act: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      return found.ok ? { ok: true, value: await whole(context, found.value) } : found;
    },
    response: z.object({ data: Webhook }),
    render: (data) => ({ data }),
  }),
  action({
    method: "patch",
    path: "/webhooks/{webhookId}",
    tag: "webhooks",
    scope: "manage",
    noStore: true,
    summary: "Changes a webhook endpoint; binds at once, also for deliveries that wait",
    params,
    body: webhookChanges,
    act: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      if (!found.ok) return found;
      const changes = await readWebhookChanges(context, parsed.body);
      if (!changes.ok) return changes;
      const { instanceId } = changes.value;
      const may = instanceId === undefined ? null : await mayListenTo(context, instanceId);
      if (may !== null && !may.ok) return may;
      return { ok: true, value: renderWebhook(await changeWebhook(context.c.env, found.value, changes.value, context.now), true) };
    },
    response: z.object({ data: Webhook }),
    render: withSecret,
  }),
  action({
    method: "delete",
    path: "/webhooks/{webhookId}",
    tag: "webhooks",
    scope: "manage",
    summary: "Removes a webhook endpoint; nothing is sent to it any more",
    params,
    act: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      if (!found.ok) return found;
      await removeWebhook(context.c.env, found.value, context.now);
      return { ok: true, value: {} };
    },
    response: message,
    render: messageResult("The webhook is deleted."),
  }),
];

/** Secrets and headers are for those who may change them. Reads are kept nowhere, so their answers may hold them. */
async function whole(context: RequestContext, row: AccountWebhook): Promise<z.input<typeof Webhook>> {
  const manages = context.scopes.includes("manage");
  return { ...renderWebhook(row, manages), ...(manages ? { secret: await openSecret(context.c.env, row) } : {}) };
}

/** What a change came to is kept for a repeated Idempotency-Key without the secret, which is looked up for each answer. */
async function withSecret(shown: z.input<typeof Webhook>, { c, user }: RequestContext): Promise<{ data: z.input<typeof Webhook> }> {
  const row = await findWebhook(c.env.DB, user.id, shown.id);
  return { data: { ...shown, secret: row === null ? null : await openSecret(c.env, row) } };
}
