// Users of the deployment, for administrators.
import { z } from "@hono/zod-openapi";
import { fail } from "../../protocol/failures.ts";
import { inviteUser } from "../../services/users/invite.ts";
import { findOverview, listUsers } from "../../services/users/list.ts";
import { demote, rename, setRole } from "../../services/users/user-table.ts";
import { cursorCodec, cursorField } from "../cursors.ts";
import { limitUpTo, nextCursor } from "../fields.ts";
import { action } from "../route.ts";
import { adminAction } from "./admin-action.ts";
import { changeUser, renderOverview, type ShownUser } from "./user-render.ts";
import { AdminUser, role, subscriptionTerms, termsOf, userEmail, userId, userName } from "./user-schemas.ts";

const userCursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const oneUser = { response: z.object({ data: AdminUser }), render: (data: ShownUser) => ({ data }) };
const params = z.object({ userId });

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
      q: z.string().trim().max(254).optional().openapi({ description: "Part of the name or of the e-mail address" }),
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
  adminAction({
    ...oneUser,
    name: "createUser",
    effect: "change",
    method: "post",
    path: "/admin/users",
    status: 201,
    summary: "Creates a user, who is invited by mail",
    description:
      "The link in the mail sets the password and proves the address; it works for 7 days, and another one can be asked for where people sign in. When the mail cannot be sent, the answer is 503 and there is no such user.",
    failures: ["email_taken"],
    example: { body: { email: "ana@example.com", name: "Ana Souza", role: "user" } },
    body: z.strictObject({ email: userEmail, name: userName, role, subscription: subscriptionTerms.optional() }),
    run: async ({ c, now }, { body }) => {
      const { email, name, role } = body;
      const subscription = body.subscription === undefined ? null : termsOf(body.subscription);
      const invited = await inviteUser(c.env, { email, name, role, subscription }, now);
      if (!invited.ok) return invited;
      const found = await findOverview(c.env.DB, invited.value.id);
      if (found === null) return fail("unavailable");
      const shown = renderOverview(found);
      const after = { email: shown.email, name, role, subscription: shown.subscription };
      return { ok: true, value: { value: shown, audit: { target: shown.id, before: null, after } } };
    },
  }),
  action({
    ...oneUser,
    name: "getUser",
    effect: "read",
    method: "get",
    path: "/admin/users/{userId}",
    scope: "admin",
    params,
    summary: "One user",
    failures: ["user_not_found"],
    run: async ({ c }, { params }) => {
      const found = await findOverview(c.env.DB, params.userId);
      return found === null ? fail("user_not_found") : { ok: true, value: renderOverview(found) };
    },
  }),
  adminAction({
    ...oneUser,
    name: "updateUser",
    effect: "change",
    method: "patch",
    path: "/admin/users/{userId}",
    params,
    summary: "Changes a user's name or role",
    description: "A role binds at once, for keys too. Nobody changes their own role, so that one administrator always remains.",
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { name: "Ana Souza" } },
    someField: true,
    body: z.strictObject({ name: userName.optional(), role: role.optional() }),
    run: (context, { params: { userId: id }, body }) =>
      changeUser(
        context,
        id,
        ({ name, role }) => ({ name, role }),
        async ({ user: { role: current } }) => {
          const { DB } = context.c.env;
          const role = body.role ?? current;
          if (role !== current) {
            if (id === context.user.id) return fail("own_account");
            if (role === "admin") await setRole(DB, id, "admin");
            else if (!(await demote(DB, id))) return fail("last_administrator");
          }
          if (body.name !== undefined) await rename(DB, id, body.name);
          return { ok: true, value: null };
        },
      ),
  }),
];
