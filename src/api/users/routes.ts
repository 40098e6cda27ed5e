import * as z from "#root/src/http/openapi/zod.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import {
  createUser,
  pageOfUsers,
  shownUser,
  type ShownUser,
  updateUser,
  activate,
  closeAccount,
  subscribe,
  suspend,
} from "./administration.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { limitUpTo, nextCursor, messageResult } from "../account/fields.ts";
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
    summary: documented({ en: "All users, newest first", pt: "Todos os usuários, do mais recente ao mais antigo" }),
    example: { query: { q: "ana", limit: 10 } },
    query: z.object({
      status: z.enum(["active", "suspended"]).optional(),
      q: z
        .string()
        .trim()
        .max(254)
        .optional()
        .openapi(says({ en: "Part of the name or the email address", pt: "Parte do nome ou do e-mail" })),
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
    summary: documented({ en: "Creates a user and invites them by email", pt: "Cria um usuário e o convida por e-mail" }),
    description: documented({
      en: "The link in the email sets the password and verifies the address. It works for 7 days; the sign-in page can send another one. If the email cannot be sent, you get 503 and no user is created.",
      pt: "O link do e-mail define a senha e confirma o endereço. Ele vale por 7 dias; a página de login pode enviar outro. Se o e-mail não puder ser enviado, a resposta é 503 e nenhum usuário é criado.",
    }),
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
    summary: documented({ en: "One user", pt: "Um usuário" }),
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
    summary: documented({ en: "Changes a user's name or role", pt: "Muda o nome ou a função de um usuário" }),
    description: documented({
      en: "A role applies at once, also to keys. You cannot change your own role, so there is always an administrator left.",
      pt: "A mudança de função vale na hora, também para chaves. Você não pode mudar a sua própria função, então sempre resta um administrador.",
    }),
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { name: "Ana Souza" } },
    someField: true,
    body: z.strictObject({ name: userName.optional(), role: role.optional() }),
    run: (context, { params: { userId: id }, body }) => updateUser(context, id, body),
  }),
];

export const adminUserStatusRoutes = [
  adminAction({
    ...oneUser,
    params,
    name: "suspendUser",
    effect: "change",
    method: "post",
    path: "/admin/users/{userId}/suspend",
    summary: documented({ en: "Suspends a user's account", pt: "Suspende a conta de um usuário" }),
    description: documented({
      en: "When the call returns, the account's keys, tokens and sessions get 403 `account_suspended`, its streams end, its numbers disconnect, and its webhooks receive nothing. With more than 400 instances, the rest follow within seconds. Nothing is lost: see `activate`. The user gets an email.",
      pt: "Quando a chamada responde, as chaves, os tokens e as sessões da conta recebem 403 `account_suspended`, os fluxos terminam, os números são desconectados e os webhooks não recebem nada. Com mais de 400 instâncias, as demais seguem em segundos. Nada é perdido: veja `activate`. O usuário recebe um e-mail.",
    }),
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { reason: "Asked for by the customer" } },
    run: (context, { params: { userId: id } }) => suspend(context, id),
  }),
  adminAction({
    ...oneUser,
    params,
    name: "activateUser",
    effect: "change",
    method: "post",
    path: "/admin/users/{userId}/activate",
    summary: documented({ en: "Ends a suspension, or cancels a deletion", pt: "Encerra uma suspensão, ou cancela uma exclusão" }),
    description: documented({
      en: "Instances that were connected before reconnect on their own, without pairing again; the others stay as they are. Messages from the meantime arrive, and webhooks get the pending events. The user gets an email.",
      pt: "As instâncias que estavam conectadas reconectam sozinhas, sem novo pareamento; as outras ficam como estão. As mensagens desse período chegam, e os webhooks recebem os eventos que estavam na fila. O usuário recebe um e-mail.",
    }),
    failures: ["user_not_found"],
    example: { body: { reason: "Settled" } },
    run: (context, { params: { userId: id } }) => activate(context, id),
  }),
  adminAction({
    ...oneUser,
    params,
    name: "setSubscription",
    effect: "change",
    method: "put",
    path: "/admin/users/{userId}/subscription",
    summary: documented({ en: "Sets a user's subscription", pt: "Define a assinatura de um usuário" }),
    description: documented({
      en: "Applies at once. While the status is neither `active` nor `trialing`, keys of connections get 402, and after 7 days the numbers disconnect until the subscription is active again. Instances above `max_instances` stay, but the user cannot create new ones.",
      pt: "Vale na hora. Enquanto o status não é `active` nem `trialing`, as chaves das conexões recebem 402, e depois de 7 dias os números ficam desconectados até a assinatura ser reativada. As instâncias acima de `max_instances` são mantidas, mas o usuário não pode criar novas.",
    }),
    failures: ["user_not_found"],
    example: { body: { plan: "pro", status: "active", max_instances: 50, current_period_end: null } },
    body: subscriptionTerms,
    run: (context, { params: { userId: id }, body }) => subscribe(context, id, termsOf(body)),
  }),
  adminAction({
    name: "deleteUser",
    effect: "destructive",
    method: "delete",
    path: "/admin/users/{userId}",
    summary: documented({
      en: "Closes a user's account, and deletes it after 30 days",
      pt: "Encerra a conta de um usuário, e a apaga depois de 30 dias",
    }),
    description: documented({
      en: "The account is suspended at once. Until `removal_at`, 30 days later, `activate` cancels the deletion. Then everything is deleted: instances, messages, files, keys, webhooks. The user gets an email both times.",
      pt: "A conta é suspensa na hora. Até `removal_at`, 30 dias depois, `activate` cancela a exclusão. Depois tudo é apagado: instâncias, mensagens, arquivos, chaves, webhooks. O usuário recebe um e-mail nas duas vezes.",
    }),
    failures: ["user_not_found", "own_account", "last_administrator"],
    params,
    run: (context, { params: { userId: id } }) => closeAccount(context, id),
    ...messageResult(
      "The account is closed. Everything of it is removed 30 days after it was first closed, at its `removal_at`, unless it is activated before.",
    ),
  }),
];
