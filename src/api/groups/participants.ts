import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { done, list, one } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { route } from "../route.ts";
import type { Views } from "../views.ts";
import { groupId, participant, GROUP_FAILURES } from "./view.ts";

const params = z.object({ groupId });
const people = (most: number) => z.strictObject({ participants: z.array(participant).min(1).max(most) });

const CHANGES = {
  add: documented({ en: "Adds participants", pt: "Adiciona participantes" }),
  promote: documented({ en: "Makes participants admins", pt: "Promove participantes a administradores" }),
  demote: documented({ en: "Removes the admin role of participants", pt: "Tira de participantes a função de administrador" }),
} as const;
const VERDICTS = {
  approve: documented({ en: "Approves requests to join", pt: "Aceita pedidos de entrada" }),
  reject: documented({ en: "Rejects requests to join", pt: "Recusa pedidos de entrada" }),
} as const;

const ON_PEOPLE = [...GROUP_FAILURES, "invalid_number", "number_not_on_network", "contact_not_found", "limit_of_kind"] as const;
const PEOPLE = { body: { participants: [EXAMPLE.other] } };

export const groupParticipantRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/groups/{groupId}/participants",
    name: "listParticipants",
    effect: "read",
    operation: "groups.get",
    counted: true,
    cached: true,
    summary: documented({ en: "Participants of the group", pt: "Participantes do grupo" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...one(views.groupParticipants),
  }),
  ...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map((action) =>
    route({
      method: "post",
      path: `/groups/{groupId}/participants/${action}`,
      name: `${action}Participants`,
      effect: "change",
      operation: "groups.participants",
      summary: CHANGES[action],
      failures: ON_PEOPLE,
      example: PEOPLE,
      params,
      body: people(256),
      input: (given) => ({ group_id: given.params.groupId, action, participants: given.body.participants }),
      ...list(views.participantResult),
    }),
  ),
  route({
    method: "post",
    path: "/groups/{groupId}/participants/remove",
    name: "removeParticipants",
    effect: "destructive",
    operation: "groups.remove_participants",
    summary: documented({ en: "Removes participants", pt: "Remove participantes" }),
    failures: ON_PEOPLE,
    example: PEOPLE,
    params,
    body: people(256),
    input: (given) => ({ group_id: given.params.groupId, participants: given.body.participants }),
    ...list(views.participantResult),
  }),
  route({
    method: "post",
    path: "/groups/{groupId}/leave",
    name: "leaveGroup",
    effect: "destructive",
    operation: "groups.leave",
    summary: documented({ en: "Leaves the group", pt: "Sai do grupo" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...done,
  }),
  route({
    method: "get",
    path: "/groups/{groupId}/requests",
    name: "listJoinRequests",
    effect: "read",
    operation: "groups.requests",
    counted: true,
    cached: true,
    summary: documented({ en: "Requests to join the group", pt: "Pedidos para entrar no grupo" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...list(views.joinRequest),
  }),
  ...(Object.keys(VERDICTS) as (keyof typeof VERDICTS)[]).map((verdict) =>
    route({
      method: "post",
      path: `/groups/{groupId}/requests/${verdict}`,
      name: `${verdict}JoinRequests`,
      effect: "change",
      operation: "groups.decide",
      summary: VERDICTS[verdict],
      failures: ON_PEOPLE,
      example: PEOPLE,
      params,
      body: people(50),
      input: (given) => ({ group_id: given.params.groupId, verdict, participants: given.body.participants }),
      ...list(views.participantResult),
    }),
  ),
];
