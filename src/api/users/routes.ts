import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { createUser, pageOfUsers, shownUser, type ShownUser, updateUser } from "./administration.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { limitUpTo, nextCursor } from "../account/fields.ts";
import { route } from "../route.ts";
import { adminAction } from "../admin-action.ts";
import { AdminUser, role, subscriptionTerms, termsOf, userEmail, userId, userName } from "./schemas.ts";

const userCursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const oneUser = { response: z.object({ data: AdminUser }), render: (data: ShownUser) => ({ data }) };
const params = z.object({ userId });

export const adminUserRoutes = [
  route({
    name: "listUsers",
    effect: "read",
    method: "get",
    path: "/admin/users",
    scope: "admin",
    summary: { en: "All users, newest first", pt: "Todos os usuários, os mais novos primeiro" },
    example: { query: { q: "ana", limit: 10 } },
    query: z.object({
      status: z.enum(["active", "suspended"]).optional(),
      q: z
        .string()
        .trim()
        .max(254)
        .optional()
        .openapi(says({ en: "Part of the name or of the e-mail address", pt: "Parte do nome ou do e-mail" })),
      limit: limitUpTo(200),
      cursor: cursorField(userCursors),
    }),
    run: async ({ c }, { query }) => {
      const { status = null, q = null, cursor = null, limit } = query;
      const { data, next } = await pageOfUsers(c.env.DB, { status, q }, { after: cursor, limit });
      return { ok: true, value: { data, next_cursor: next === null ? null : userCursors.write(next) } };
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
    summary: { en: "Creates a user and invites them by email", pt: "Cria um usuário e o convida por e-mail" },
    description: {
      en: "The link in the email sets the password and verifies the address. It works for 7 days; the sign-in page can send another one. If the email cannot be sent, you get 503 and no user is created.",
      pt: "O link do e-mail define a senha e confirma o endereço. Ele vale por 7 dias; a página de entrada pode enviar outro. Se o e-mail não puder ser enviado, a resposta é 503 e nenhum usuário é criado.",
    },
    failures: ["email_taken"],
    example: { body: { email: "ana@example.com", name: "Ana Souza", role: "user" } },
    body: z.strictObject({ email: userEmail, name: userName, role, subscription: subscriptionTerms.optional() }),
    run: (context, { body: { email, name, role, subscription } }) =>
      createUser(context, { email, name, role, subscription: subscription === undefined ? null : termsOf(subscription) }),
  }),
  route({
    ...oneUser,
    name: "getUser",
    effect: "read",
    method: "get",
    path: "/admin/users/{userId}",
    scope: "admin",
    params,
    summary: { en: "One user", pt: "Um usuário" },
    failures: ["user_not_found"],
    run: ({ c }, { params }) => shownUser(c.env.DB, params.userId),
  }),
  adminAction({
    ...oneUser,
    name: "updateUser",
    effect: "change",
    method: "patch",
    path: "/admin/users/{userId}",
    params,
    summary: { en: "Changes a user's name or role", pt: "Muda o nome ou o papel de um usuário" },
    description: {
      en: "A role applies at once, also to keys. You cannot change your own role, so there is always an administrator left.",
      pt: "O papel vale na hora, também para chaves. Você não pode mudar o seu próprio papel, então sempre resta um administrador.",
    },
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { name: "Ana Souza" } },
    someField: true,
    body: z.strictObject({ name: userName.optional(), role: role.optional() }),
    run: (context, { params: { userId: id }, body }) => updateUser(context, id, body),
  }),
];
