import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { done, one, page } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { cursor, limit, optionalBoolean } from "../fields.ts";
import { givenFile, media } from "../file-field.ts";
import type { GroupRequested } from "@gateway/protocol/groups.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { groupParticipantRoutes } from "./participants.ts";
import { description, groupId, groupSettingsBody, participant, subject, GROUP_FAILURES, inviteCode } from "./view.ts";

const groupInvitationRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/groups/{groupId}/invite-code",
    name: "getInviteCode",
    effect: "read",
    operation: "groups.invite",
    counted: true,
    cached: true,
    summary: documented({ en: "The invitation of the group", pt: "O convite do grupo" }),
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
    summary: documented({
      en: "Replaces the group's invitation; the previous one stops working",
      pt: "Troca o convite do grupo; o anterior deixa de funcionar",
    }),
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
    summary: documented({ en: "The group of an invitation", pt: "O grupo de um convite" }),
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
    summary: documented({ en: "Joins a group by invitation", pt: "Entra em um grupo por convite" }),
    failures: [...NETWORK_FAILURES, "group_not_found", "invite_invalid"],
    example: { body: { code: EXAMPLE.invite } },
    body: z.strictObject({ code: inviteCode }),
    input: ({ body }) => ({ code: body.code }),
    response: z.object({ data: z.object({ group_id: z.string(), pending: z.boolean() }) }),
    render: (joined) => ({ data: joined }),
  }),
];

const params = z.object({ groupId });

const groupRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/groups",
    name: "listGroups",
    effect: "read",
    operation: "groups.list",
    counted: true,
    cached: true,
    summary: documented({ en: "Groups of the number, by name", pt: "Grupos do número, por nome" }),
    failures: NETWORK_FAILURES,
    example: { query: { limit: 20 } },
    query: z.object({ limit, cursor, q: z.string().max(200).optional(), refresh: optionalBoolean }),
    input: ({ query }) => ({ limit: query.limit, cursor: query.cursor ?? null, q: query.q ?? null, refresh: query.refresh ?? false }),
    ...page(views.group),
  }),
  route({
    method: "post",
    path: "/groups",
    name: "createGroup",
    effect: "change",
    operation: "groups.create",
    summary: documented({
      en: "Creates a group and reports the result for each participant",
      pt: "Cria um grupo e informa o resultado de cada participante",
    }),
    description: documented({
      en: "A Cloud API number does not accept participants, because people join by the group's link. It returns 202. The group appears in the list once Meta has created it, and `group.participants` or `group.joined` confirms this.",
      pt: "Um número da Cloud API não aceita participantes, porque as pessoas entram pelo link do grupo. A resposta é 202. O grupo aparece na lista depois que a Meta o cria, e `group.participants` ou `group.joined` avisa.",
    }),
    failures: [...GROUP_FAILURES, "invalid_number", "number_not_on_network", "limit_of_kind"],
    example: { body: { subject: "Equipe", participants: [EXAMPLE.contact] } },
    body: z.strictObject({
      subject,
      participants: z.array(participant).max(256),
      description: description.nullish(),
      join_approval: z.boolean().nullish(),
    }),
    input: ({ body }) => ({
      subject: body.subject,
      participants: body.participants,
      description: body.description ? body.description : null,
      join_approval: body.join_approval ?? null,
    }),
    status: 201,
    response: z.object({ data: views.groupDetail.schema, participants: z.array(views.participantResult.schema) }),
    render: (made, context) => {
      // `accepted` has already handled groups that were only accepted (202), so `made` has a result here.
      const { group, participants } = made as Exclude<typeof made, GroupRequested>;
      return {
        data: views.groupDetail.show(group, context),
        participants: participants.map((each) => views.participantResult.show(each, context)),
      };
    },
    accepted: {
      response: z.object({ data: z.object({ request_id: z.string() }) }),
      of: (made) => ("request_id" in made ? { data: made } : null),
    },
  }),
  route({
    method: "get",
    path: "/groups/{groupId}",
    name: "getGroup",
    effect: "read",
    operation: "groups.get",
    counted: true,
    cached: true,
    summary: documented({ en: "One group, with its participants", pt: "Um grupo, com os participantes" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...one(views.groupDetail),
  }),
  route({
    method: "delete",
    path: "/groups/{groupId}",
    name: "deleteGroup",
    effect: "destructive",
    operation: "groups.delete",
    summary: documented({ en: "Leaves the group and deletes the chat", pt: "Sai do grupo e apaga a conversa" }),
    description: documented({ en: "Leaves the group and deletes the chat.", pt: "Sai do grupo e apaga a conversa." }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...done,
  }),
  route({
    method: "put",
    path: "/groups/{groupId}/subject",
    name: "setGroupSubject",
    effect: "change",
    operation: "groups.subject",
    summary: documented({ en: "Changes the name of the group", pt: "Muda o nome do grupo" }),
    failures: GROUP_FAILURES,
    example: { body: { subject: "Equipe de vendas" } },
    params,
    body: z.strictObject({ subject }),
    input: (given) => ({ group_id: given.params.groupId, subject: given.body.subject }),
    ...done,
  }),
  route({
    method: "put",
    path: "/groups/{groupId}/description",
    name: "setGroupDescription",
    effect: "change",
    operation: "groups.description",
    summary: documented({ en: "Changes or removes the description of the group", pt: "Muda ou remove a descrição do grupo" }),
    failures: GROUP_FAILURES,
    example: { body: { description: "Combinados da semana" } },
    params,
    body: z.strictObject({ description }),
    input: (given) => ({ group_id: given.params.groupId, description: given.body.description === "" ? null : given.body.description }),
    ...done,
  }),
  route({
    method: "put",
    path: "/groups/{groupId}/picture",
    name: "setGroupPicture",
    effect: "change",
    operation: "groups.picture",
    summary: documented({
      en: "Changes the picture of the group (jpeg or png, up to 5 MB)",
      pt: "Muda a foto do grupo (jpeg ou png, até 5 MB)",
    }),
    failures: [...GROUP_FAILURES, "media_too_large", "media_unreachable", "media_invalid"],
    example: {
      body: {
        media: EXAMPLE.image,
      },
    },
    params,
    body: z.strictObject({ media }),
    input: (given) => ({
      group_id: given.params.groupId,
      picture: given.files.add(givenFile(given.body.media, FILE_RULES.picture)),
    }),
    ...done,
  }),
  route({
    method: "delete",
    path: "/groups/{groupId}/picture",
    name: "deleteGroupPicture",
    effect: "destructive",
    operation: "groups.remove_picture",
    summary: documented({ en: "Removes the picture of the group", pt: "Remove a foto do grupo" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    ...done,
  }),
  route({
    method: "get",
    path: "/groups/{groupId}/settings",
    name: "getGroupSettings",
    effect: "read",
    operation: "groups.get",
    counted: true,
    cached: true,
    summary: documented({ en: "Settings of the group", pt: "Configurações do grupo" }),
    failures: GROUP_FAILURES,
    params,
    input: (given) => ({ group_id: given.params.groupId }),
    response: z.object({ data: views.groupSettings.schema }),
    render: ({ settings }) => ({ data: settings }),
  }),
  route({
    method: "patch",
    path: "/groups/{groupId}/settings",
    name: "updateGroupSettings",
    effect: "change",
    operation: "groups.settings",
    summary: documented({ en: "Changes settings of the group", pt: "Muda configurações do grupo" }),
    failures: GROUP_FAILURES,
    example: { body: { messages_admins_only: true } },
    params,
    body: groupSettingsBody,
    input: (given) => ({ group_id: given.params.groupId, settings: given.body }),
    ...one(views.groupSettings),
  }),
];

export const groups = (views: Views): Family => ({
  name: "groups",
  title: documented({ en: "Groups", pt: "Grupos" }),
  description: documented({ en: "Groups: create, administer, invite.", pt: "Grupos: criar, administrar, convidar." }),
  routes: [...groupRoutes(views), ...groupParticipantRoutes(views), ...groupInvitationRoutes(views)],
});
