import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { pageOfAudit } from "./page.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { timestamp } from "../fields.ts";
import { iso, limitUpTo, nextCursor } from "../account/fields.ts";
import { route } from "../route.ts";

const auditCursors = cursorCodec(z.object({ at: z.number(), id: z.number() }));

const facts = z.record(z.string(), z.unknown()).nullable();

const AuditEntry = z
  .object({
    id: z.string(),
    at: iso.openapi(says({ en: "When the action started", pt: "Quando a ação começou" })),
    actor: z.object({
      id: z.string().openapi(
        says({
          en: "The administrator's id; `settings` if ADMIN_EMAIL created the first one",
          pt: "O id do administrador; `settings` se o ADMIN_EMAIL criou o primeiro",
        }),
      ),
      email: z
        .string()
        .nullable()
        .openapi(
          says({
            en: "Their current address; null if the account is gone",
            pt: "O e-mail atual; null se a conta não existe mais",
          }),
        ),
      key_id: z
        .string()
        .nullable()
        .openapi(says({ en: "The key they used; null with a bearer token", pt: "A chave usada; null com um token de acesso" })),
    }),
    action: z.string().openapi({ example: "suspendUser" }),
    target: z.string().openapi({ example: "a1b2c3d4e5f6" }),
    reason: z.string().nullable().openapi({ example: "Asked for by the customer" }),
    before: facts.openapi({
      ...says({
        en: "The changed values, before; null if it was created",
        pt: "Os valores anteriores dos campos alterados; null se o item foi criado",
      }),
      example: { status: "active" },
    }),
    after: facts.openapi({
      ...says({
        en: "The same values, after; null if it was removed",
        pt: "Os valores novos dos mesmos campos; null se o item foi removido",
      }),
      example: { status: "suspended" },
    }),
    outcome: z.enum(["done", "refused", "unknown"]).openapi({
      ...says({
        en: "`unknown`: it failed halfway and may have taken effect",
        pt: "`unknown`: a ação falhou no meio e pode ter tido efeito",
      }),
      example: "done",
    }),
    failure: z
      .string()
      .nullable()
      .openapi({
        ...says({ en: "The error code of the response", pt: "O código de erro da resposta" }),
        example: null,
      }),
    request_id: z.string().nullable(),
  })
  .openapi("AuditEntry");

export const adminAuditRoutes = [
  route({
    name: "listAudit",
    effect: "read",
    method: "get",
    path: "/admin/audit",
    scope: "admin",
    summary: documented({
      en: "What administrators have done, newest first",
      pt: "As ações dos administradores, da mais recente à mais antiga",
    }),
    description: documented({
      en: "Every change through an `/admin` route has an entry, even if it was rejected.",
      pt: "Cada mudança feita por uma rota `/admin` fica registrada, mesmo que seja recusada.",
    }),
    example: { query: { action: "suspendUser", limit: 10 } },
    query: z.object({
      actor: z
        .string()
        .max(254)
        .optional()
        .openapi(says({ en: "Id or email address of the administrator", pt: "Id ou e-mail do administrador" })),
      action: z
        .string()
        .max(64)
        .optional()
        .openapi(says({ en: "The public name of the route: its `operationId`", pt: "O nome público da rota: seu `operationId`" })),
      target: z
        .string()
        .max(128)
        .optional()
        .openapi(says({ en: "The id of the target", pt: "O id do alvo" })),
      from: timestamp.optional().openapi(says({ en: "At or after this time", pt: "A partir deste momento" })),
      to: timestamp.optional().openapi(says({ en: "Before this time", pt: "Antes deste momento" })),
      limit: limitUpTo(200),
      cursor: cursorField(auditCursors),
    }),
    run: async ({ c }, { query }) => {
      const { actor = null, action = null, target = null } = query;
      const span = { from: msOf(query.from), to: msOf(query.to) };
      const page = { after: query.cursor ?? null, limit: query.limit };
      const { data, next } = await pageOfAudit(c.env.DB, { actor, action, target, ...span }, page);
      return { ok: true, value: { data, next_cursor: next === null ? null : auditCursors.write(next) } };
    },
    response: z.object({ data: z.array(AuditEntry), next_cursor: nextCursor }),
    render: (page) => page,
  }),
];

const msOf = (seconds: number | undefined): number | null => (seconds === undefined ? null : seconds * 1000);
