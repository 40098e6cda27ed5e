import * as z from "#root/src/http/openapi/zod.ts";
import { changeWebhook } from "#root/src/services/account-webhooks/change.ts";
import { createWebhook } from "#root/src/services/account-webhooks/create.ts";
import { type AccountWebhook, findWebhook, listWebhooks } from "#root/src/services/account-webhooks/find.ts";
import { removeWebhook } from "#root/src/services/account-webhooks/remove.ts";
import { openSecret } from "#root/src/services/account-webhooks/secret.ts";
import { renderWebhook, newWebhook, Webhook, webhookChanges } from "./view.ts";
import { eventRoutes } from "../events/account/stream.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { messageResult, webhookId } from "../account/fields.ts";
import type { AccountContext } from "../context.ts";
import { isWithin, mayListenTo, readNewWebhook, readWebhookChanges, webhookOf } from "./endpoints.ts";
import { documented } from "#root/src/http/openapi/documentation.ts";

const params = z.object({ webhookId });

const webhookRoutes = [
  route({
    name: "createWebhook",
    effect: "change",
    method: "post",
    path: "/webhooks",
    scope: "manage",
    status: 201,
    noStore: true,
    summary: documented({ en: "Creates a webhook endpoint", pt: "Cria um endpoint de webhook" }),
    failures: ["url_not_allowed", "instance_not_found", "webhook_limit"],
    example: {
      body: {
        url: "https://hooks.example.com/gateway",
        events: ["message.received", "instance.disconnected"],
        secret: "a long random text of yours",
        headers: { "X-Env": "prod" },
      },
    },
    body: newWebhook,
    run: async (context, { body }) => {
      const read = await readNewWebhook(context, body);
      if (!read.ok) return read;
      const may = await mayListenTo(context, read.value.instanceId);
      if (!may.ok) return may;
      const made = await createWebhook(context.c.env, read.value, context.now);
      return made.ok ? { ok: true, value: stored(context, made.value) } : made;
    },
    response: z.object({ data: Webhook }),
    render: withSecret,
  }),
  route({
    name: "listWebhooks",
    effect: "read",
    method: "get",
    path: "/webhooks",
    scope: "read",
    noStore: true,
    summary: documented({
      en: "The account's webhook endpoints, oldest first",
      pt: "Os endpoints de webhook da conta, os mais antigos primeiro",
    }),
    run: async (context) => {
      const rows = (await listWebhooks(context.c.env.DB, context.user.id)).filter((row) => isWithin(context, row));
      return { ok: true, value: rows.map((row) => whole(context, row)) };
    },
    response: z.object({ data: z.array(Webhook) }),
    render: (data) => ({ data }),
  }),
  route({
    name: "getWebhook",
    effect: "read",
    method: "get",
    path: "/webhooks/{webhookId}",
    scope: "read",
    noStore: true,
    summary: documented({ en: "One webhook endpoint", pt: "Um endpoint de webhook" }),
    failures: ["webhook_not_found"],
    params,
    run: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      return found.ok ? { ok: true, value: whole(context, found.value) } : found;
    },
    response: z.object({ data: Webhook }),
    render: (data) => ({ data }),
  }),
  route({
    name: "updateWebhook",
    effect: "change",
    method: "patch",
    path: "/webhooks/{webhookId}",
    scope: "manage",
    noStore: true,
    summary: documented({
      en: "Changes a webhook endpoint, at once and also for pending deliveries",
      pt: "Muda um endpoint de webhook, na hora e também para entregas pendentes",
    }),
    failures: ["webhook_not_found", "url_not_allowed", "instance_not_found"],
    example: { body: { events: ["message.received"], retry_count: 5 } },
    params,
    body: webhookChanges,
    run: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      if (!found.ok) return found;
      const changes = await readWebhookChanges(context, parsed.body);
      if (!changes.ok) return changes;
      const { instanceId } = changes.value;
      const may = instanceId === undefined ? null : await mayListenTo(context, instanceId);
      if (may !== null && !may.ok) return may;
      const changed = await changeWebhook(context.c.env, found.value, changes.value, context.now);
      return changed.ok ? { ok: true, value: stored(context, changed.value) } : changed;
    },
    response: z.object({ data: Webhook }),
    render: withSecret,
  }),
  route({
    name: "deleteWebhook",
    effect: "destructive",
    method: "delete",
    path: "/webhooks/{webhookId}",
    scope: "manage",
    summary: documented({
      en: "Removes a webhook endpoint; it receives nothing more",
      pt: "Remove um endpoint de webhook; ele não recebe mais nada",
    }),
    failures: ["webhook_not_found"],
    params,
    run: async (context, parsed) => {
      const found = await webhookOf(context, parsed.params.webhookId);
      if (!found.ok) return found;
      await removeWebhook(context.c.env, found.value, context.now);
      return { ok: true, value: {} };
    },
    ...messageResult("The webhook is deleted."),
  }),
];

export const webhooks: Family<AccountRow> = {
  name: "webhooks",
  title: documented({ en: "Webhooks", pt: "Webhooks" }),
  description: documented({
    en: "Webhook endpoints, and their deliveries.",
    pt: "Endpoints de webhook e as entregas deles.",
  }),
  routes: [...webhookRoutes, ...deliveryRoutes, ...eventRoutes],
};

/** Secrets and headers need the `manage` scope. Results of reads are not stored for replays, so they may contain secrets. */
function whole(context: AccountContext, row: AccountWebhook): z.input<typeof Webhook> {
  const manages = context.scopes.includes("manage");
  return { ...renderWebhook(row, manages), ...(manages ? { secret: openSecret(context.c.env, row) } : {}) };
}

/** The result of a change, which is stored for replays and therefore has no secret. `withSecret` adds the secret to each response. */
function stored({ c, oneTimeSecrets }: AccountContext, row: AccountWebhook): z.input<typeof Webhook> {
  oneTimeSecrets.set(row.id, openSecret(c.env, row));
  return renderWebhook(row, true);
}

/** Only a replay reads D1, because a failed read must not hide from the first caller that the change is stored. */
async function withSecret(shown: z.input<typeof Webhook>, context: AccountContext): Promise<{ data: z.input<typeof Webhook> }> {
  const { c, user, oneTimeSecrets } = context;
  if (oneTimeSecrets.has(shown.id)) return { data: { ...shown, secret: oneTimeSecrets.get(shown.id) } };
  const row = await findWebhook(c.env.DB, user.id, shown.id);
  return { data: { ...shown, secret: row === null ? null : openSecret(c.env, row) } };
}
