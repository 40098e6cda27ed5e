// Codes that lead into groups.
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
    summary: "The invitation of the group",
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
    summary: "Replaces the invitation of the group; the previous one stops working",
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
    summary: "The group that an invitation leads to",
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
    summary: "Joins a group by invitation",
    body: z.strictObject({ code: inviteCode }),
    input: ({ body }) => ({ code: body.code }),
    response: z.object({ data: z.object({ group_id: z.string(), pending: z.boolean() }) }),
    render: (joined) => ({ data: joined }),
  }),
];
