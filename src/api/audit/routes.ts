// The audit log (docs/operate/security.md, "Audit log").
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
    at: iso.openapi({ description: "When it was begun" }),
    actor: z.object({
      id: z.string().openapi({ description: "The id of the administrator; `settings` when ADMIN_EMAIL made the first one" }),
      email: z.string().nullable().openapi({ description: "The address they have now; null when their account is gone" }),
      key_id: z.string().nullable().openapi({ description: "The key they used; null with a bearer token" }),
    }),
    action: z.string().openapi({ example: "suspendUser" }),
    target: z.string().openapi({ example: "a1b2c3d4e5f6" }),
    reason: z.string().nullable().openapi({ example: "Asked for by the customer" }),
    before: facts.openapi({ description: "What was changed, as it was; null when it was created", example: { status: "active" } }),
    after: facts.openapi({ description: "The same as it is since then; null when it was removed", example: { status: "suspended" } }),
    outcome: z
      .enum(["done", "refused", "unknown"])
      .openapi({ description: "`unknown`: something broke in the middle, and it may have been carried out", example: "done" }),
    failure: z.string().nullable().openapi({ description: "Why it was refused: the code of the answer", example: null }),
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
    summary: "What administrators have done, newest first",
    description: "Every change by an `/admin` route has one entry, also one that was refused.",
    example: { query: { action: "suspendUser", limit: 10 } },
    query: z.object({
      actor: z.string().max(254).optional().openapi({ description: "Id or e-mail address of the administrator" }),
      action: z.string().max(64).optional().openapi({ description: "The public name of the route: its `operationId`" }),
      target: z.string().max(128).optional().openapi({ description: "The id of what was acted on" }),
      from: timestamp.optional().openapi({ description: "Not before this time" }),
      to: timestamp.optional().openapi({ description: "Before this time" }),
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
