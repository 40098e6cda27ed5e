import { z } from "@hono/zod-openapi";
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
      en: "From the answer on its keys, tokens and sessions are refused with 403 `account_suspended`, its streams end, its numbers disconnect and nothing is delivered to its webhooks; of an account with more than 400 instances the others follow within seconds. Nothing is lost: see `activate`. The user is told by mail.",
      pt: "A partir da resposta suas chaves, tokens e sessões são recusados com 403 `account_suspended`, seus fluxos terminam, seus números se desconectam e nada é entregue a seus webhooks; de uma conta com mais de 400 instâncias as outras seguem em segundos. Nada se perde: veja `activate`. O usuário é avisado por e-mail.",
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
    summary: { en: "Ends a suspension, or takes a deletion back", pt: "Termina uma suspensão, ou desfaz uma exclusão" },
    description: {
      en: "Instances that were connected when it began connect again by themselves, without a new pairing; the others stay as they are. What people wrote meanwhile arrives then, and webhooks get what waited for them. The user is told by mail.",
      pt: "As instâncias que estavam conectadas quando ela começou se conectam de novo sozinhas, sem novo pareamento; as outras ficam como estão. O que as pessoas escreveram enquanto isso chega então, e os webhooks recebem o que esperava por eles. O usuário é avisado por e-mail.",
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
      en: "Binds at once: while it is neither `active` nor `trialing`, keys of connections are answered 402, and after 7 days the numbers disconnect, until it is again. Instances beyond `max_instances` stay; no new ones can be made.",
      pt: "Vale na hora: enquanto não é `active` nem `trialing`, as chaves das conexões recebem 402, e depois de 7 dias os números se desconectam, até que volte a ser. Instâncias além de `max_instances` ficam; não se criam novas.",
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
      en: "Closes a user's account, and removes everything of it after 30 days",
      pt: "Encerra a conta de um usuário e remove tudo dela depois de 30 dias",
    },
    description: {
      en: "It is suspended at once, and `activate` takes the deletion back within the 30 days (`removal_at`). Then everything goes: instances, messages, files, keys, webhooks. The user is told by mail, both times.",
      pt: "Ela é suspensa na hora, e `activate` desfaz a exclusão dentro dos 30 dias (`removal_at`). Depois vai tudo: instâncias, mensagens, arquivos, chaves, webhooks. O usuário é avisado por e-mail, nas duas vezes.",
    },
    failures: ["user_not_found", "own_account", "last_administrator"],
    params: z.object({ userId }),
    run: (context, { params: { userId: id } }) => closeAccount(context, id),
    ...messageResult(
      "The account is closed. Everything of it is removed 30 days after it was first closed, at its `removal_at`, unless it is activated before.",
    ),
  }),
];
