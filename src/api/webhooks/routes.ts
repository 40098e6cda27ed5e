import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { EventFrame } from "@gateway/protocol/stream-sockets.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { changeWebhook, removeWebhook, createWebhook } from "../../services/account-webhooks/change.ts";
import { type AccountWebhook, findWebhook, listWebhooks, openSecret } from "../../services/account-webhooks/find.ts";
import { renderWebhook, newWebhook, Webhook, webhookChanges } from "./view.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { messageResult, webhookId, instanceId } from "../account/fields.ts";
import { type AccountContext, accessOf } from "../context.ts";
import { isWithin, mayListenTo, readNewWebhook, readWebhookChanges, webhookOf } from "./endpoints.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import { englishFailure } from "../../http/english-failure.ts";
import { guardedStream, lastEventId, socketFeed, type StreamSource } from "../../http/event-stream.ts";
import { openEventSocket } from "../../services/connections/stub.ts";
import { expiryOfBearer } from "../../services/identity/verify-bearer.ts";
import { authenticate } from "../account/authenticate.ts";
import { readableEvents } from "../events/account/event-access.ts";

const events = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(ACCOUNT_EVENTS)).min(1))
  // Deduplicated, because the types are stored in the socket's small attachment.
  .transform((types) => [...new Set(types)])
  .optional()
  .openapi({
    type: "string",
    ...says({ en: "Types, separated by commas; absent: all", pt: "Tipos, separados por vírgulas; ausente: todos" }),
  });

const eventRoutes = [
  route({
    name: "streamEvents",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/events",
    scope: "read",
    operation: "instance.get",
    counted: true,
    streams: true,
    summary: documented({
      en: "Streams the instance's events as server-sent events",
      pt: "Transmite os eventos da instância como server-sent events",
    }),
    description: documented({
      en: "The stream sends the same envelopes as webhooks, with their own ids. Each key has one stream per instance: a second one closes the first. The stream closes after five minutes. Reconnect with `Last-Event-ID` to continue after that event; you get `reset` if the gateway no longer has it. The stream also closes within a second when access ends: the key is removed or expires, the share is removed or changes, an account is suspended or deleted, a password changes, or the subscription ends. `instance.qr` requires the scope `manage`.",
      pt: "O fluxo envia os mesmos envelopes dos webhooks, com ids próprios. Cada chave tem um fluxo por instância: um segundo encerra o primeiro. O fluxo termina depois de cinco minutos. Reconecte com `Last-Event-ID` para continuar depois daquele evento; você recebe `reset` se o gateway não o tem mais. O fluxo também termina em até um segundo quando o acesso acaba: a chave é removida ou expira, o compartilhamento é removido ou muda, uma conta é suspensa ou apagada, uma senha muda, ou a assinatura termina. `instance.qr` exige o escopo `manage`.",
    }),
    params: z.object({ instanceId }),
    query: z.object({ events }),
    input: () => ({}),
    response: z.string(),
    render: async (_record, context, { query }) => {
      const { c, subject, user } = context;
      const { connection } = accessOf(context);
      const types = readableEvents(context, query.events ?? null);
      if (types?.length === 0) return englishFailure(c, { code: "forbidden", details: { scope: "manage" } });
      const request = { subject, user: user.id, events: types, after: lastEventId(c) };
      const stream = await guardedStream(c.env, {
        ...streamGuard(context),
        open: async () => {
          const socket = await openEventSocket(c.env, connection.uuid, request);
          return socket === null ? null : socketFeed(socket, eventText);
        },
      });
      return stream.ok ? stream.value : englishFailure(c, stream.failure);
    },
  }),
];

/** Ends the stream of one instance when its reader loses access. */
export function streamGuard(context: AccountContext): Pick<StreamSource, "right" | "expiresAt" | "stillAllowed"> {
  const { c, key, subject, user } = context;
  const { connection, role } = accessOf(context);
  return {
    right: { userId: user.id, credential: key === null ? "token" : subject, connections: [connection.uuid] },
    expiresAt: key === null ? expiryOfBearer(c.req.header("authorization")) : key.expiresAt,
    stillAllowed: async () => {
      const again = await authenticate(c, connection.uuid);
      return again.ok && again.context.access?.role === role;
    },
  };
}

/** `JSON.stringify` writes no line breaks, so an event is one `data` line. Unknown frames, from a newer object, are skipped. */
function eventText(text: string): string {
  const read = EventFrame.safeParse(JSON.parse(text));
  if (!read.success) return "";
  const frame = read.data;
  return frame.type === "reset" ? "event: reset\ndata: {}\n\n" : `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.json}\n\n`;
}

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
    summary: documented({ en: "Creates a webhook endpoint", pt: "Cria um endereço de webhook" }),
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
      return made.ok ? { ok: true, value: renderWebhook(made.value, true) } : made;
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
      pt: "Os endereços de webhook da conta, os mais antigos primeiro",
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
    summary: documented({ en: "One webhook endpoint", pt: "Um endereço de webhook" }),
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
      pt: "Muda um endereço de webhook, na hora e também para entregas pendentes",
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
      return { ok: true, value: renderWebhook(await changeWebhook(context.c.env, found.value, changes.value, context.now), true) };
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
      pt: "Remove um endereço de webhook; ele não recebe mais nada",
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
    pt: "Endereços de webhook, e as entregas deles.",
  }),
  routes: [...webhookRoutes, ...deliveryRoutes, ...eventRoutes],
};

/** Secrets and headers need the scope `manage`. Results of reads are not stored for replays, so they may contain secrets. */
function whole(context: AccountContext, row: AccountWebhook): z.input<typeof Webhook> {
  const manages = context.scopes.includes("manage");
  return { ...renderWebhook(row, manages), ...(manages ? { secret: openSecret(context.c.env, row) } : {}) };
}

/** The stored result of a change does not contain a secret, so it is added to each response. */
async function withSecret(shown: z.input<typeof Webhook>, { c, user }: AccountContext): Promise<{ data: z.input<typeof Webhook> }> {
  const row = await findWebhook(c.env.DB, user.id, shown.id);
  return { data: { ...shown, secret: row === null ? null : openSecret(c.env, row) } };
}
