import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isoOfMs } from "../../http/times.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { listAccountKeys } from "../../services/account-keys/create.ts";
import { listWebhooks } from "../../services/account-webhooks/find.ts";
import { listInstances } from "../../services/connections/list.ts";
import { listSharesOfAccount } from "../../services/shares/shares.ts";
import { renderUser } from "../me/view.ts";
import { User } from "../me/schemas.ts";
import { cursor, instanceId, iso, nextCursor } from "../account/fields.ts";
import { renderKey } from "../keys/view.ts";
import { ApiKey } from "../keys/schemas.ts";
import { onlyInstances } from "../context.ts";
import { route } from "../route.ts";
import { renderWebhook } from "../webhooks/view.ts";
import { Webhook } from "../webhooks/schemas.ts";
import { renderExported } from "./view.ts";

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
      .openapi(says({ en: "Instances shared with others, and by others", pt: "Instâncias compartilhadas com outros, e por outros" })),
    instances: z
      .array(z.object({ id: z.string(), name: z.string(), created_at: iso }))
      .openapi(says({ en: "The account's own; each has its own export", pt: "As da própria conta; cada uma tem a sua exportação" })),
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
        en: "The record, without secrets; messages as in a list of messages. Files are links that need no key",
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
  summary: {
    en: "Exports the account with its keys, webhooks and shares, without secrets",
    pt: "Exporta a conta com chaves, webhooks e compartilhamentos, sem segredos",
  },
  description: {
    en: "Each instance has an export of its own.",
    pt: "Cada instância tem a sua própria exportação.",
  },
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
  summary: {
    en: "Exports everything stored of an instance: settings, contacts, groups, chats, messages, and links to files",
    pt: "Exporta tudo o que está guardado de uma instância: configurações, contatos, grupos, conversas, mensagens e links de arquivos",
  },
  description: {
    en:
      "In pages, of up to 500 records or some 2 MB: pass `next_cursor` as `cursor` until it is null. What is stored before the first page " +
      "is in the export once. Only for the owner of the instance.",
    pt: "Em páginas de até 500 registros ou cerca de 2 MB: passe `next_cursor` em `cursor` até ele ser null. O que estava guardado antes da primeira página aparece uma vez. Só para o dono da instância.",
  },
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
