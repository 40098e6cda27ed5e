import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { type Outcome, fail, succeed } from "@gateway/protocol/failures.ts";
import { listInstances, type ListedInstance } from "#root/src/services/connections/list.ts";
import { removeConnection } from "#root/src/services/connections/remove.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import { readCloudCredentials } from "@gateway/protocol/cloud.ts";
import type { ActionName } from "@gateway/protocol/operations/history.ts";
import { cursorField } from "../account/style.ts";
import { renderInstance, renderUnreachable } from "./view.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { instanceExportRoutes } from "../export/routes.ts";
import { sessionRoutes } from "./session.ts";
import { instanceId, limitUpTo, nextCursor, messageResult } from "../account/fields.ts";
import { Instance, instanceChanges, kind, newInstance, status, HistorySync } from "./schemas.ts";
import { accessOf, onlyInstances, type AccountContext, connectionRowOf } from "../context.ts";
import { mapInBatches } from "#root/src/services/batches.ts";
import { chatId } from "../fields.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { regionOfRequest } from "#root/src/services/bridges/homes.ts";
import { logAction } from "#root/src/services/connections/action-log.ts";
import { readInstance } from "#root/src/services/connections/call.ts";
import { changeCloudCredentials, changeConnection } from "#root/src/services/connections/change.ts";
import { createWithWebhook } from "#root/src/services/connections/create-with-webhook.ts";
import { readNewWebhook } from "../webhooks/endpoints.ts";

const path = "/instances/{instanceId}/history-sync";
const params = z.object({ instanceId });

const historyRoutes = [
  route({
    name: "getHistorySync",
    effect: "read",
    method: "get",
    path,
    scope: "read",
    operation: "instance.history",
    counted: true,
    summary: documented({ en: "The progress of the phone's history sync", pt: "O andamento da sincronização do histórico" }),
    params,
    input: () => ({}),
    response: z.object({ data: HistorySync }),
    render: (data) => ({ data }),
  }),
  route({
    name: "syncHistory",
    effect: "change",
    method: "post",
    path,
    scope: "manage",
    operation: "instance.sync_history",
    status: 202,
    summary: documented({
      en: "Asks the phone for older messages, of one chat or of the ten latest",
      pt: "Pede ao celular mensagens mais antigas, de uma conversa ou das dez mais recentes",
    }),
    description: documented({
      en: "The phone must be on, and responds when it is ready. After two minutes without a response, the history's `state` is `paused`; the gateway still accepts what arrives later. Each call reaches further back.",
      pt: "O celular precisa estar ligado e responde quando puder. Depois de dois minutos sem resposta, o `state` do histórico passa a `paused`, mas o gateway ainda aceita as mensagens que chegarem depois. Cada chamada busca mensagens mais antigas.",
    }),
    failures: [...NETWORK_FAILURES, "chat_not_found"],
    example: { body: { chat_id: "5511900000002@c.us", count: 50 } },
    params,
    body: z.strictObject({ chat_id: chatId.nullish(), count: z.number().int().min(1).max(50).default(50) }),
    input: ({ body }) => ({ chat_id: body.chat_id ?? null, count: body.count }),
    ...messageResult("The phone has been asked. Older messages arrive in the history of the chats."),
  }),
];

const READ_CONCURRENCY = 20;

const cursors = cursorCodec(z.number().int());
const response = z.object({ data: Instance });

const instanceRoutes = [
  route({
    name: "createInstance",
    effect: "change",
    method: "post",
    path: "/instances",
    scope: "manage",
    status: 201,
    summary: documented({
      en: "Creates an instance and connects it, unless you say otherwise",
      pt: "Cria uma instância e a conecta, a menos que você peça o contrário",
    }),
    description: documented({
      en: "`webhook` also creates a webhook for this instance. A number of Meta's Cloud API (`kind` `cloud_api`) needs its credentials in `cloud_api`. The gateway checks them before it responds. If a check fails, you get 400 `cloud_credentials_invalid`, and `details.step` names the step: `in_use`, `number`, `register`, `subscribe`, `fields` or `callback`.",
      pt: "`webhook` também cria um webhook para esta instância. Um número da Cloud API da Meta (`kind` `cloud_api`) precisa das credenciais em `cloud_api`. O gateway as confere antes de responder. Se algo falhar, a resposta é 400 `cloud_credentials_invalid`, e `details.step` diz o passo: `in_use`, `number`, `register`, `subscribe`, `fields` ou `callback`.",
    }),
    failures: [
      "subscription_required",
      "instance_limit",
      "proxy_full",
      "webhook_limit",
      "url_not_allowed",
      "not_supported",
      "cloud_credentials_invalid",
    ],
    example: { body: { name: "Store", connect: false, metadata: { customer: "4711" } } },
    body: newInstance,
    run: (context, { body }) => createInstance(context, body),
    response,
    render: (data) => ({ data }),
  }),
  route({
    name: "listInstances",
    effect: "read",
    method: "get",
    path: "/instances",
    scope: "read",
    summary: documented({
      en: "The instances of the account and those shared with it, oldest first",
      pt: "As instâncias da conta e as compartilhadas com ela, as mais antigas primeiro",
    }),
    query: z.object({
      status: status.optional(),
      kind: kind.optional(),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .openapi(says({ en: "Part of the name or of the phone", pt: "Parte do nome ou do número" })),
      limit: limitUpTo(200),
      cursor: cursorField(cursors),
    }),
    run: async (context, { query }) => {
      const { limit } = query;
      const filters = {
        status: query.status ?? null,
        kind: query.kind ?? null,
        q: query.q ?? null,
        among: onlyInstances(context),
        after: query.cursor ?? 0,
        limit: limit + 1,
      };
      const found = await listInstances(context.c.env.DB, context.user.id, filters);
      const last = found.length > limit ? found[limit - 1] : undefined;
      const next = last === undefined ? null : cursors.write(last.connection.id);
      return { ok: true, value: { data: await renderEach(context, found.slice(0, limit)), next_cursor: next } };
    },
    response: z.object({ data: z.array(Instance), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  route({
    name: "getInstance",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}",
    scope: "read",
    operation: "instance.get",
    counted: true,
    summary: documented({ en: "One instance", pt: "Uma instância" }),
    params,
    input: () => ({}),
    response,
    render: async (record, context) => ({ data: renderInstance(await connectionRowOf(context), record) }),
  }),
  route({
    name: "updateInstance",
    effect: "change",
    method: "patch",
    path: "/instances/{instanceId}",
    scope: "manage",
    ownerOnly: true,
    summary: documented({ en: "Changes name, settings, metadata or proxy", pt: "Muda nome, configurações, metadados ou proxy" }),
    description: documented({
      en: "The call merges `settings` and `settings.pacing` into the current values, and replaces `metadata` as a whole. A new proxy reconnects the number. `cloud_api` sets new credentials of a Cloud API number and connects it; if Meta rejects them, nothing changes.",
      pt: "A chamada junta `settings` e `settings.pacing` aos valores atuais e substitui `metadata` por inteiro. Um proxy novo reconecta o número. `cloud_api` define credenciais novas de um número da Cloud API e o conecta; se a Meta as recusar, nada muda.",
    }),
    failures: ["not_supported", "proxy_full", "cloud_credentials_invalid"],
    example: { body: { name: "Store, downtown", settings: { ignore_groups: true } } },
    params,
    body: instanceChanges,
    run: (context, { body }) => changeInstance(context, body),
    response,
    render: (data) => ({ data }),
  }),
  route({
    name: "deleteInstance",
    effect: "destructive",
    method: "delete",
    path: "/instances/{instanceId}",
    scope: "manage",
    ownerOnly: true,
    summary: documented({
      en: "Logs the number out and deletes everything about the instance",
      pt: "Encerra a sessão do número e apaga tudo sobre a instância",
    }),
    params,
    run: async (context): Promise<Outcome<object>> => {
      const { id, uuid } = accessOf(context).connection;
      await removeConnection(context.c.env, id, uuid, context.now);
      return { ok: true, value: {} };
    },
    ...messageResult("The instance is deleted."),
  }),
];

export const instances: Family<AccountRow> = {
  name: "instances",
  title: documented({ en: "Instances", pt: "Instâncias" }),
  description: documented({
    en: "Numbers: create, pair, connect, monitor, delete.",
    pt: "Números: criar, parear, conectar, acompanhar e apagar.",
  }),
  routes: [...instanceRoutes, ...sessionRoutes, ...historyRoutes, ...instanceExportRoutes],
};

function renderEach(context: AccountContext, listed: readonly ListedInstance[]): Promise<z.input<typeof Instance>[]> {
  return mapInBatches(listed, READ_CONCURRENCY, (each) => renderOne(context, each));
}

async function renderOne(context: AccountContext, listed: ListedInstance): Promise<z.input<typeof Instance>> {
  const record = await readInstance(context.c.env, listed.connection.uuid, callerIn(context));
  return record.ok ? renderInstance(listed.connection, record.value) : renderUnreachable(listed.connection, listed);
}

type InstanceView = z.input<typeof Instance>;

async function createInstance(context: AccountContext, request: z.output<typeof newInstance>): Promise<Outcome<InstanceView>> {
  const { c, user, now } = context;
  if (onlyInstances(context) !== null) return fail("forbidden");
  const webhook = request.webhook === undefined ? null : await readNewWebhook(context, request.webhook);
  if (webhook !== null && !webhook.ok) return webhook;
  const { name, settings = {}, metadata = {}, proxy_id: proxyId = null, connect: connects } = request;
  const cloud = request.cloud_api === undefined ? null : readCloudCredentials(request.cloud_api);
  const kind = cloud === null ? ({ kind: "session" } as const) : ({ kind: "cloud_api", cloud: { ...cloud, connects } } as const);
  const created = await createWithWebhook(
    c.env,
    {
      connection: { ownerId: user.id, name, settings, metadata, proxyId, region: regionOfRequest(c.req.raw), ...kind },
      webhook: webhook === null ? null : webhook.value,
      connects,
      caller: callerIn(context),
    },
    now,
  );
  if (!created.ok) return created;
  const { row, record } = created.value;
  return succeed(record === null ? renderUnreachable(row, { status: null, phone: null }) : renderInstance(row, record));
}

async function changeInstance(context: AccountContext, changes: z.output<typeof instanceChanges>): Promise<Outcome<InstanceView>> {
  const connection = await connectionRowOf(context);
  const { name, settings, metadata, proxy_id, cloud_api } = changes;
  const cloud = cloud_api === undefined ? null : readCloudCredentials(cloud_api);
  const unsupported = unsupportedChange(connection.kind, { settings, proxyId: proxy_id, cloudApi: cloud_api });
  if (unsupported !== null) return unsupported;
  const configured = cloud === null ? null : await changeCloudCredentials(context.c.env, connection, cloud);
  if (configured !== null && !configured.ok) return configured;
  const set = {
    ...(name === undefined ? {} : { name }),
    ...(settings === undefined ? {} : { settings }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(proxy_id === undefined ? {} : { proxyId: proxy_id }),
  };
  const changed = await changeConnection(context.c.env, connection, set, context.now);
  if (!changed.ok) return changed;
  const row = changed.value;
  const actor = { ...callerIn(context), role: "owner" } as const;
  const enter = (act: ActionName, subject: string | null) =>
    context.c.executionCtx.waitUntil(logAction(context.c.env, row.uuid, actor, act, subject));
  if (name !== undefined && name !== connection.name) enter("renamed", name);
  if (settings !== undefined) enter("settings_changed", null);
  if (cloud !== null) enter("cloud_credentials_changed", null);
  const record = await readInstance(context.c.env, row.uuid, callerIn(context));
  return record.ok ? { ok: true, value: renderInstance(row, record.value) } : record;
}

function callerIn({ c, subject }: AccountContext) {
  return { subject, requestId: c.get("requestId") };
}
