import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { ExportItem } from "@gateway/protocol/operations/instance.ts";
import { listAccountKeys } from "#root/src/services/account-keys/find.ts";
import { listWebhooks } from "#root/src/services/account-webhooks/find.ts";
import { listInstances } from "#root/src/services/connections/list.ts";
import { listSharesOfAccount } from "#root/src/services/shares/shares.ts";
import { renderUser, User } from "../me/view.ts";
import { cursor, instanceId, iso, nextCursor } from "../account/fields.ts";
import { renderKey, ApiKey } from "../keys/view.ts";
import { onlyInstances, type AccountContext, connectionRowOf } from "../context.ts";
import { route } from "../route.ts";
import { renderWebhook, Webhook } from "../webhooks/view.ts";
import { renderInstance } from "../instances/view.ts";
import { VIEWS } from "../account/style.ts";

// Records of an export. People appear as phone numbers, times as ISO 8601, and files as links.
type ExportKind = ExportItem["kind"];
type RecordOf<K extends ExportKind> = Extract<ExportItem, { kind: K }>["record"];
type Renderers = { [K in ExportKind]: (record: RecordOf<K>, context: AccountContext) => object | Promise<object> };

async function renderExported(item: ExportItem, context: AccountContext) {
  const render = RENDERERS[item.kind] as (
    record: unknown,
    context: AccountContext,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  return { kind: item.kind, record: await render(item.record, context) };
}

const phoneOf = (person: Person | null): string | null => person?.phone ?? null;

function linkOf(media: StoredMedia | null, context: AccountContext): string | null {
  return media === null || media.token === null ? null : mediaLink(context.appUrl, media.token, media.mimetype);
}

const RENDERERS: Renderers = {
  instance: async ({ instance, keys, webhook }, context) => ({
    ...renderInstance(await connectionRowOf(context), instance),
    connection_id: instance.id,
    connection_keys: keys.map(({ created_at, last_used_at, refused_ip: _ip, refused_at: _at, ...key }) => ({
      ...key,
      created_at: isoOfMs(created_at),
      last_used_at: isoOfMsOrNull(last_used_at),
    })),
    connection_webhook:
      webhook === null
        ? null
        : {
            ...webhook,
            disabled_at: isoOfMsOrNull(webhook.disabled_at),
            last_success_at: isoOfMsOrNull(webhook.last_success_at),
            created_at: isoOfMs(webhook.created_at),
          },
  }),
  label: (label) => label,
  contact: ({ person, picture, updated_at, ...contact }, context) => ({
    ...contact,
    phone: phoneOf(person),
    picture_url: linkOf(picture, context),
    updated_at: isoOfMs(updated_at),
  }),
  group: ({ owner, created_at, participants = [], ...group }) => ({
    ...group,
    owner: phoneOf(owner),
    created_at: isoOfMsOrNull(created_at),
    participants: participants.map(({ person, name, role }) => ({ phone: phoneOf(person), name, role })),
  }),
  channel: ({ picture, created_at, ...channel }, context) => ({
    ...channel,
    picture_url: linkOf(picture, context),
    created_at: isoOfMsOrNull(created_at),
  }),
  chat: ({ person, picture, last_message: _last, updated_at, ...chat }, context) => ({
    ...chat,
    phone: phoneOf(person),
    picture_url: linkOf(picture, context),
    updated_at: isoOfMs(updated_at),
  }),
  call: ({ from, timestamp, ...call }) => ({ ...call, phone: phoneOf(from), timestamp: isoOfSeconds(timestamp) }),
  message: (message, context) => VIEWS.message.show(message, context),
};

const ALL = 100_000;

const AccountExport = z
  .object({
    exported_at: iso,
    account: User,
    api_keys: z.array(ApiKey),
    webhooks: z.array(Webhook),
    shares: z
      .array(
        z.object({
          instance_id: z.string(),
          email: z.string().openapi(says({ en: "Email of the other account", pt: "E-mail da outra conta" })),
          role: z.enum(["operator", "viewer"]),
          given: z.boolean().openapi(
            says({
              en: "true: shared by this account; false: shared with it",
              pt: "true: compartilhada por esta conta; false: compartilhada com ela",
            }),
          ),
          created_at: iso,
        }),
      )
      .openapi(
        says({ en: "Instances shared with others, and by others", pt: "Instâncias compartilhadas com outras contas e por outras contas" }),
      ),
    instances: z
      .array(z.object({ id: z.string(), name: z.string(), created_at: iso }))
      .openapi(
        says({ en: "The account's own; each has its own export", pt: "As instâncias da própria conta; cada uma tem a sua exportação" }),
      ),
  })
  .openapi("AccountExport");

const KINDS = ["instance", "label", "contact", "group", "channel", "chat", "call", "message"] as const;

const ExportRecord = z
  .object({
    kind: z.enum(KINDS).openapi(says({ en: "The type of the record", pt: "O tipo do registro" })),
    record: z.record(z.string(), z.unknown()).openapi({
      type: "object",
      additionalProperties: true,
      ...says({
        en: "The record, without secrets; messages as in a list of messages. Files are links that do not require a key",
        pt: "O registro, sem segredos; mensagens como na lista de mensagens. Arquivos são links que não precisam de chave",
      }),
    }),
  })
  .openapi("ExportRecord");

const accountExport = route({
  name: "exportAccount",
  effect: "read",
  method: "get",
  path: "/me/export",
  scope: "manage",
  noStore: true,
  summary: documented({
    en: "Exports the account with its keys, webhooks and shares, without secrets",
    pt: "Exporta a conta com chaves, webhooks e compartilhamentos, sem segredos",
  }),
  description: documented({
    en: "Each instance has its own export.",
    pt: "Cada instância tem a sua própria exportação.",
  }),
  run: async (context) => {
    const { c, user, now } = context;
    if (onlyInstances(context) !== null) return fail("forbidden");
    const everyInstance = { status: null, kind: null, q: null, among: null, after: 0, limit: ALL };
    const [keys, webhooks, shares, listed, account] = await Promise.all([
      listAccountKeys(c.env.DB, user.id, { after: null, limit: ALL, within: null }),
      listWebhooks(c.env.DB, user.id),
      listSharesOfAccount(c.env.DB, user.id),
      listInstances(c.env.DB, user.id, everyInstance),
      renderUser(context),
    ]);
    if (account === null) return fail("unauthorized");
    const own = listed.filter(({ role }) => role === "owner");
    return {
      ok: true,
      value: {
        exported_at: isoOfMs(now),
        account,
        api_keys: keys.map((row) => renderKey(row, user)),
        webhooks: webhooks.map((row) => renderWebhook(row, false)),
        shares: shares.map(({ createdAt, ...share }) => ({ ...share, created_at: isoOfMs(createdAt) })),
        instances: own.map(({ connection }) => ({
          id: connection.uuid,
          name: connection.name,
          created_at: isoOfMs(connection.createdAt),
        })),
      },
    };
  },
  response: z.object({ data: AccountExport }),
  render: (data) => ({ data }),
});

const instanceExport = route({
  name: "exportInstance",
  effect: "read",
  method: "get",
  path: "/instances/{instanceId}/export",
  scope: "manage",
  operation: "instance.export",
  counted: true,
  noStore: true,
  summary: documented({
    en: "Exports everything stored of an instance: settings, contacts, groups, chats, messages, and links to files",
    pt: "Exporta tudo o que está guardado de uma instância: configurações, contatos, grupos, conversas, mensagens e links de arquivos",
  }),
  description: documented({
    en:
      "In pages, of up to 500 records or some 2 MB: pass `next_cursor` as `cursor` until it is null. What is stored before the first page " +
      "is in the export once. Only for the owner of the instance.",
    pt: "Em páginas de até 500 registros ou cerca de 2 MB: passe `next_cursor` em `cursor` até ele ser null. O que estava guardado antes da primeira página aparece uma vez. Só para o dono da instância.",
  }),
  params: z.object({ instanceId }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(500).openapi({ type: "integer", default: 500 }), cursor }),
  input: ({ query }) => ({ cursor: query.cursor ?? null, limit: query.limit }),
  response: z.object({ data: z.array(ExportRecord), next_cursor: nextCursor }),
  render: async ({ items, next_cursor }, context) => ({
    data: await Promise.all(items.map((item) => renderExported(item, context))),
    next_cursor,
  }),
});

export const accountExportRoutes = [accountExport];
export const instanceExportRoutes = [instanceExport];
