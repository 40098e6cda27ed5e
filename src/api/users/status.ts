import * as z from "#root/src/http/openapi/zod.ts";
import { activate, closeAccount, type ShownUser, subscribe, suspend } from "./administration.ts";
import { messageResult } from "../account/fields.ts";
import { adminAction } from "../admin-action.ts";
import { AdminUser, subscriptionTerms, termsOf, userId } from "./schemas.ts";

const oneUser = {
  params: z.object({ userId }),
  response: z.object({ data: AdminUser }),
  render: (data: ShownUser) => ({ data }),
};

export const adminUserStatusRoutes = [
  adminAction({
    ...oneUser,
    name: "suspendUser",
    effect: "change",
    method: "post",
    path: "/admin/users/{userId}/suspend",
    summary: { en: "Suspends a user's account", pt: "Suspende a conta de um usuário" },
    description: {
      en: "When the call returns, the account's keys, tokens and sessions get 403 `account_suspended`, its streams end, its numbers disconnect, and its webhooks receive nothing. With more than 400 instances, the rest follow within seconds. Nothing is lost: see `activate`. The user gets an email.",
      pt: "Quando a chamada responde, as chaves, os tokens e as sessões da conta recebem 403 `account_suspended`, os fluxos terminam, os números se desconectam e os webhooks não recebem nada. Com mais de 400 instâncias, o resto segue em segundos. Nada se perde: veja `activate`. O usuário recebe um e-mail.",
    },
    failures: ["user_not_found", "own_account", "last_administrator"],
    example: { body: { reason: "Asked for by the customer" } },
    run: (context, { params: { userId: id } }) => suspend(context, id),
  }),
  adminAction({
    ...oneUser,
    name: "activateUser",
    effect: "change",
    method: "post",
    path: "/admin/users/{userId}/activate",
    summary: { en: "Ends a suspension, or cancels a deletion", pt: "Encerra uma suspensão, ou cancela uma exclusão" },
    description: {
      en: "Instances that were connected before reconnect on their own, without pairing again; the others stay as they are. Messages from the meantime arrive, and webhooks get what was waiting for them. The user gets an email.",
      pt: "As instâncias que estavam conectadas reconectam sozinhas, sem novo pareamento; as outras ficam como estão. As mensagens desse período chegam, e os webhooks recebem o que estava esperando. O usuário recebe um e-mail.",
    },
    failures: ["user_not_found"],
    example: { body: { reason: "Settled" } },
    run: (context, { params: { userId: id } }) => activate(context, id),
  }),
  adminAction({
    ...oneUser,
    name: "setSubscription",
    effect: "change",
    method: "put",
    path: "/admin/users/{userId}/subscription",
    summary: { en: "Sets a user's subscription", pt: "Define a assinatura de um usuário" },
    description: {
      en: "Applies at once. While the status is neither `active` nor `trialing`, keys of connections get 402, and after 7 days the numbers disconnect until the subscription is active again. Instances above `max_instances` stay, but the user cannot create new ones.",
      pt: "Vale na hora. Enquanto o status não é `active` nem `trialing`, as chaves das conexões recebem 402, e depois de 7 dias os números se desconectam até a assinatura voltar. As instâncias acima de `max_instances` ficam, mas o usuário não pode criar novas.",
    },
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
    summary: {
      en: "Closes a user's account, and deletes it after 30 days",
      pt: "Encerra a conta de um usuário, e a apaga depois de 30 dias",
    },
    description: {
      en: "The account is suspended at once. Until `removal_at`, 30 days later, `activate` cancels the deletion. Then everything is deleted: instances, messages, files, keys, webhooks. The user gets an email both times.",
      pt: "A conta é suspensa na hora. Até `removal_at`, 30 dias depois, `activate` cancela a exclusão. Depois tudo é apagado: instâncias, mensagens, arquivos, chaves, webhooks. O usuário recebe um e-mail nas duas vezes.",
    },
    failures: ["user_not_found", "own_account", "last_administrator"],
    params: z.object({ userId }),
    run: (context, { params: { userId: id } }) => closeAccount(context, id),
    ...messageResult(
      "The account is closed. Everything of it is removed 30 days after it was first closed, at its `removal_at`, unless it is activated before.",
    ),
  }),
];
