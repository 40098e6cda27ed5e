// Codes that lead into groups (catalogue 1.2 B4).
import { z } from "@hono/zod-openapi";
import { renderGroupPreview } from "../render/group.ts";
import { route } from "../route.ts";
import { groupId, GroupPreview, Invitation, inviteCode } from "../schemas/group.ts";

const params = z.object({ groupId });

export const groupInvitationRoutes = [
  route({
    method: "get",
    path: "/groups/{groupId}/invite-code",
    operation: "groups.invite",
    tag: "groups",
    counted: true,
    cached: true,
    summary: "O convite do grupo",
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: z.object({ data: Invitation }),
    render: (invitation) => ({ data: invitation }),
  }),
  route({
    method: "post",
    path: "/groups/{groupId}/invite-code/revoke",
    operation: "groups.revoke_invite",
    tag: "groups",
    summary: "Troca o convite do grupo; o anterior deixa de valer",
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: z.object({ data: Invitation }),
    render: (invitation) => ({ data: invitation }),
  }),
  route({
    method: "get",
    path: "/groups/join-info",
    operation: "groups.preview",
    tag: "groups",
    counted: true,
    cached: true,
    summary: "O grupo a que um convite leva",
    query: z.object({ code: inviteCode }),
    input: ({ query }) => ({ code: query.code }),
    response: z.object({ data: GroupPreview }),
    render: (preview) => ({ data: renderGroupPreview(preview) }),
  }),
  route({
    method: "post",
    path: "/groups/join",
    operation: "groups.join",
    tag: "groups",
    summary: "Entra em um grupo por convite",
    body: z.strictObject({ code: inviteCode }),
    input: ({ body }) => ({ code: body.code }),
    response: z.object({ data: z.object({ group_id: z.string(), pending: z.boolean() }) }),
    render: (joined) => ({ data: joined }),
  }),
];
