import * as z from "#root/src/http/openapi/zod.ts";
import { one } from "../answers.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { route } from "../route.ts";
import type { Views } from "../views.ts";
import { groupId, inviteCode, GROUP_FAILURES } from "./schemas.ts";

const params = z.object({ groupId });

export const groupInvitationRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/groups/{groupId}/invite-code",
    name: "getInviteCode",
    effect: "read",
    operation: "groups.invite",
    counted: true,
    cached: true,
    summary: { en: "The invitation of the group", pt: "O convite do grupo" },
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...one(views.invitation),
  }),
  route({
    method: "post",
    path: "/groups/{groupId}/invite-code/revoke",
    name: "revokeInviteCode",
    effect: "destructive",
    operation: "groups.revoke_invite",
    summary: {
      en: "Replaces the group's invitation; the previous one stops working",
      pt: "Troca o convite do grupo; o anterior deixa de funcionar",
    },
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...one(views.invitation),
  }),
  route({
    method: "get",
    path: "/groups/join-info",
    name: "getGroupPreview",
    effect: "read",
    operation: "groups.preview",
    counted: true,
    cached: true,
    summary: { en: "The group of an invitation", pt: "O grupo de um convite" },
    failures: [...NETWORK_FAILURES, "group_not_found", "invite_invalid"],
    example: { query: { code: EXAMPLE.invite } },
    query: z.object({ code: inviteCode }),
    input: ({ query }) => ({ code: query.code }),
    ...one(views.groupPreview),
  }),
  route({
    method: "post",
    path: "/groups/join",
    name: "joinGroup",
    effect: "change",
    operation: "groups.join",
    summary: { en: "Joins a group by invitation", pt: "Entra em um grupo por convite" },
    failures: [...NETWORK_FAILURES, "group_not_found", "invite_invalid"],
    example: { body: { code: EXAMPLE.invite } },
    body: z.strictObject({ code: inviteCode }),
    input: ({ body }) => ({ code: body.code }),
    response: z.object({ data: z.object({ group_id: z.string(), pending: z.boolean() }) }),
    render: (joined) => ({ data: joined }),
  }),
];
