import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { pageOfAudit } from "./page.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/cursors.ts";
import { timestamp } from "../fields.ts";
import { iso, limitUpTo, nextCursor } from "../account/fields.ts";
import { route } from "../route.ts";

const auditCursors = cursorCodec(z.object({ at: z.number(), id: z.number() }));

const facts = z.record(z.string(), z.unknown()).nullable();

const AuditEntry = z
  .object({
    id: z.string(),
    at: iso.openapi(says({ en: "When it was begun", pt: "Quando começou" })),
    actor: z.object({
      id: z.string().openapi(
        says({
          en: "The id of the administrator; `settings` when ADMIN_EMAIL made the first one",
          pt: "O id do administrador; `settings` quando o ADMIN_EMAIL fez o primeiro",
        }),
      ),
      email: z
        .string()
        .nullable()
        .openapi(
          says({
            en: "The address they have now; null when their account is gone",
            pt: "O endereço atual; null quando a conta não existe mais",
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
      ...says({ en: "What was changed, as it was; null when it was created", pt: "O que mudou, como era; null quando foi criado" }),
      example: { status: "active" },
    }),
    after: facts.openapi({
      ...says({ en: "The same as it is since then; null when it was removed", pt: "O mesmo, como ficou; null quando foi removido" }),
      example: { status: "suspended" },
    }),
    outcome: z.enum(["done", "refused", "unknown"]).openapi({
      ...says({
        en: "`unknown`: something broke in the middle, and it may have been carried out",
        pt: "`unknown`: algo quebrou no meio, e pode ter sido executado",
      }),
      example: "done",
    }),
    failure: z
      .string()
      .nullable()
      .openapi({
        ...says({ en: "Why it was refused: the code of the answer", pt: "Por que foi recusado: o código da resposta" }),
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
    summary: { en: "What administrators have done, newest first", pt: "O que os administradores fizeram, do mais novo ao mais antigo" },
    description: {
      en: "Every change by an `/admin` route has one entry, also one that was refused.",
      pt: "Cada mudança por uma rota `/admin` tem um registro, também a que foi recusada.",
    },
    example: { query: { action: "suspendUser", limit: 10 } },
    query: z.object({
      actor: z
        .string()
        .max(254)
        .optional()
        .openapi(says({ en: "Id or e-mail address of the administrator", pt: "Id ou e-mail do administrador" })),
      action: z
        .string()
        .max(64)
        .optional()
        .openapi(says({ en: "The public name of the route: its `operationId`", pt: "O nome público da rota: seu `operationId`" })),
      target: z
        .string()
        .max(128)
        .optional()
        .openapi(says({ en: "The id of what was acted on", pt: "O id daquilo sobre que se agiu" })),
      from: timestamp.optional().openapi(says({ en: "Not before this time", pt: "Não antes deste momento" })),
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
