import * as z from "#root/src/http/openapi/zod.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { done, one, page } from "../answers.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { cursor, limit, optionalBoolean } from "../fields.ts";
import { givenFile, media } from "../file-field.ts";
import type { GroupRequested } from "@gateway/protocol/groups.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { groupInvitationRoutes } from "./invitations.ts";
import { groupParticipantRoutes } from "./participants.ts";
import { description, groupId, groupSettingsBody, participant, subject, GROUP_FAILURES } from "./schemas.ts";

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
    summary: { en: "Groups of the number, by name", pt: "Grupos do número, por nome" },
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
    summary: {
      en: "Creates a group and reports the result for each participant",
      pt: "Cria um grupo e informa o resultado de cada participante",
    },
    description: {
      en: "A Cloud API number accepts no participants, because people join by the group's link. It returns 202. The group is in the list once Meta has created it, and `group.participants` or `group.joined` tells you so.",
      pt: "Um número da Cloud API não aceita participantes, porque as pessoas entram pelo link do grupo. A resposta é 202. O grupo aparece na lista depois que a Meta o cria, e `group.participants` ou `group.joined` avisa.",
    },
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
      // Groups that were only accepted (202) are handled by `accepted`, so `made` has a result here.
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
    summary: { en: "One group, with its participants", pt: "Um grupo, com os participantes" },
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
    summary: { en: "Leaves the group and deletes the chat", pt: "Sai do grupo e apaga a conversa" },
    description: { en: "Leaves the group and deletes the chat.", pt: "Sai do grupo e apaga a conversa." },
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
    summary: { en: "Changes the name of the group", pt: "Muda o nome do grupo" },
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
    summary: { en: "Changes or removes the description of the group", pt: "Muda ou remove a descrição do grupo" },
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
    summary: { en: "Changes the picture of the group (jpeg or png, up to 5 MB)", pt: "Muda a foto do grupo (jpeg ou png, até 5 MB)" },
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
    summary: { en: "Removes the picture of the group", pt: "Remove a foto do grupo" },
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
    summary: { en: "Settings of the group", pt: "Configurações do grupo" },
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
    summary: { en: "Changes settings of the group", pt: "Muda configurações do grupo" },
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
  title: { en: "Groups", pt: "Grupos" },
  description: { en: "Groups: create, administer, invite.", pt: "Grupos: criar, administrar, convidar." },
  routes: [...groupRoutes(views), ...groupParticipantRoutes(views), ...groupInvitationRoutes(views)],
});
