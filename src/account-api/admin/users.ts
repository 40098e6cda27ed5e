// Users of the deployment, for administrators.
import { z } from "@hono/zod-openapi";
import { isoOfMsOrNull } from "../../http/times.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { findOverview, listUsers, type UserOverview } from "../../services/users/list.ts";
import { demote, rename, setRole } from "../../services/users/user-table.ts";
import { renderSubscription, renderUserFields } from "../account/render.ts";
import { cursorCodec, cursorField } from "../cursors.ts";
import { limitUpTo, nextCursor } from "../fields.ts";
import type { RequestContext } from "../request-context.ts";
import { action } from "../route.ts";
import { adminAction } from "./admin-action.ts";
import { AdminUser, role, userId, userName } from "./user-schemas.ts";

const userCursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const oneUser = { params: z.object({ userId }), response: z.object({ data: AdminUser }), render: (data: Shown) => ({ data }) };
type Shown = z.input<typeof AdminUser>;

export const adminUserRoutes = [
  action({
    name: "listUsers",
    effect: "read",
    method: "get",
    path: "/admin/users",
    scope: "admin",
    summary: "All users, newest first",
    example: { query: { q: "ana", limit: 10 } },
    query: z.object({
      status: z.enum(["active", "suspended"]).optional(),
      q: z.string().max(254).optional().openapi({ description: "Part of the name or of the e-mail address" }),
      limit: limitUpTo(200),
      cursor: cursorField(userCursors),
    }),
    run: async ({ c }, { query }) => {
      const { status = null, q = null, cursor = null, limit } = query;
      const rows = await listUsers(c.env.DB, { status, q }, { after: cursor, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1)?.user : undefined;
      const next = last === undefined ? null : userCursors.write({ createdAt: last.createdAt.getTime(), id: last.id });
      return { ok: true, value: { data: shown.map(renderOverview), next_cursor: next } };
    },
    response: z.object({ data: z.array(AdminUser), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  action({
    ...oneUser,
    name: "getUser",
    effect: "read",
    method: "get",
    path: "/admin/users/{userId}",
    scope: "admin",
    summary: "One user",
    failures: ["user_not_found"],
    run: (context, { params }) => shownUser(context, params.userId),
  }),
  adminAction({
    ...oneUser,
    name: "updateUser",
    effect: "change",
    method: "patch",
    path: "/admin/users/{userId}",
    summary: "Changes a user's name or role",
    description: "A role binds at once, for keys too. Nobody changes their own role, so that one administrator always remains.",
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { name: "Ana Souza" } },
    body: z.strictObject({ name: userName.optional(), role: role.optional() }),
    run: async (context, { params, body }) => {
      const { c, user } = context;
      const found = await findOverview(c.env.DB, params.userId);
      if (found === null) return fail("user_not_found");
      const { id } = found.user;
      const role = body.role ?? found.user.role;
      if (role !== found.user.role) {
        if (id === user.id) return fail("own_account");
        if (role === "admin") await setRole(c.env.DB, id, "admin");
        else if (!(await demote(c.env.DB, id))) return fail("last_administrator");
      }
      if (body.name !== undefined) await rename(c.env.DB, id, body.name);
      const facts = ({ name, role }: UserOverview["user"]) => ({ name, role });
      return changed(context, found, facts);
    },
  }),
];

async function shownUser({ c }: RequestContext, id: string): Promise<Outcome<Shown>> {
  const found = await findOverview(c.env.DB, id);
  return found === null ? fail("user_not_found") : { ok: true, value: renderOverview(found) };
}

/** The answer to a change, and what the audit log says of it. `before`: the user as found before the change. */
async function changed<F extends object>(context: RequestContext, before: UserOverview, facts: (user: UserOverview["user"]) => F) {
  const now = await findOverview(context.c.env.DB, before.user.id);
  if (now === null) return fail("user_not_found");
  const audit = { target: before.user.id, before: { ...facts(before.user) }, after: { ...facts(now.user) } };
  return { ok: true as const, value: { value: renderOverview(now), audit } };
}

function renderOverview({ user, subscription, instances }: UserOverview): Shown {
  return {
    ...renderUserFields(user, instances),
    subscription: renderSubscription(subscription),
    last_seen_at: isoOfMsOrNull(user.lastSeenAt),
    is_confirmed: user.emailVerified,
    removal_at: isoOfMsOrNull(user.removalDueAt),
  };
}
