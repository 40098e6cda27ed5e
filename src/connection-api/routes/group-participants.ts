// Who is in a group, and who wants to be.
import { z } from "@hono/zod-openapi";
import { renderJoinRequest, renderParticipants, renderResult } from "../render/group.ts";
import { route } from "../route.ts";
import { done, ok } from "../schemas/fields.ts";
import { groupId, GroupParticipant, JoinRequest, participant, ParticipantResult } from "../schemas/group.ts";

const params = z.object({ groupId });
const results = z.object({ data: z.array(ParticipantResult) });
const people = (most: number) => z.strictObject({ participants: z.array(participant).min(1).max(most) });

const CHANGES = {
  add: "Adds participants",
  remove: "Removes participants",
  promote: "Makes participants administrators",
  demote: "Makes administrators plain participants",
} as const;
const VERDICTS = { approve: "Approves requests to join", reject: "Rejects requests to join" } as const;

export const groupParticipantRoutes = [
  route({
    method: "get",
    path: "/groups/{groupId}/participants",
    operation: "groups.get",
    tag: "groups",
    counted: true,
    cached: true,
    summary: "Participants of the group",
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: z.object({ data: z.array(GroupParticipant) }),
    render: (group) => ({ data: renderParticipants(group) }),
  }),
  ...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map((action) =>
    route({
      method: "post",
      path: `/groups/{groupId}/participants/${action}`,
      operation: "groups.participants",
      tag: "groups",
      summary: CHANGES[action],
      params,
      body: people(256),
      input: (given) => ({ group_id: given.params.groupId, action, participants: given.body.participants }),
      response: results,
      render: ({ items }) => ({ data: items.map(renderResult) }),
    }),
  ),
  route({
    method: "post",
    path: "/groups/{groupId}/leave",
    operation: "groups.leave",
    tag: "groups",
    summary: "Leaves the group",
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/groups/{groupId}/requests",
    operation: "groups.requests",
    tag: "groups",
    counted: true,
    cached: true,
    summary: "Who asked to join the group",
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: z.object({ data: z.array(JoinRequest) }),
    render: ({ items }) => ({ data: items.map(renderJoinRequest) }),
  }),
  ...(Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).map((verdict) =>
    route({
      method: "post",
      path: `/groups/{groupId}/requests/${verdict}`,
      operation: "groups.decide",
      tag: "groups",
      summary: VERDICTS[verdict],
      params,
      body: people(50),
      input: (given) => ({ group_id: given.params.groupId, verdict, participants: given.body.participants }),
      response: results,
      render: ({ items }) => ({ data: items.map(renderResult) }),
    }),
  ),
];
