// Whether a user's account works, and on what terms: suspension, subscription, deletion.
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
    summary: "Suspends a user's account",
    description:
      "From the answer on its keys, tokens and sessions are refused with 403 `account_suspended`, its streams end, its numbers disconnect and nothing is delivered to its webhooks; of an account with more than 400 instances the others follow within seconds. Nothing is lost: see `activate`. The user is told by mail.",
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
    summary: "Ends a suspension, or takes a deletion back",
    description:
      "Instances that were connected when it began connect again by themselves, without a new pairing; the others stay as they are. What people wrote meanwhile arrives then, and webhooks get what waited for them. The user is told by mail.",
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
    summary: "Sets a user's subscription",
    description:
      "Binds at once: while it is neither `active` nor `trialing`, keys of connections are answered 402, and after 7 days the numbers disconnect, until it is again. Instances beyond `max_instances` stay; no new ones can be made.",
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
    summary: "Closes a user's account, and removes everything of it after 30 days",
    description:
      "It is suspended at once, and `activate` takes the deletion back within the 30 days (`removal_at`). Then everything goes: instances, messages, files, keys, webhooks. The user is told by mail, both times.",
    failures: ["user_not_found", "own_account", "last_administrator"],
    params: z.object({ userId }),
    run: (context, { params: { userId: id } }) => closeAccount(context, id),
    ...messageResult(
      "The account is closed. Everything of it is removed 30 days after it was first closed, at its `removal_at`, unless it is activated before.",
    ),
  }),
];
