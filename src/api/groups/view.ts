import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, readAs } from "#root/src/http/fields.ts";
import { isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import {
  type GroupPreview as PreviewRecord,
  type GroupRecord,
  type JoinRequest as RequestRecord,
  PARTICIPANT_REASONS,
  type ParticipantResult as ResultRecord,
} from "@gateway/protocol/groups.ts";
import { chatIdOf } from "@gateway/protocol/ids.ts";
import { readGroupId, readPersonId, readInviteCode } from "@gateway/domain/chats/chat-id.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { type RenderContext, view } from "../responses.ts";
import { phoneOrNull } from "../fields.ts";
import { phoneOf } from "../messages/view.ts";
import type { ApiStyle } from "../style.ts";
import { problem } from "#root/src/http/problems.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";

const SUBJECT_CHARACTERS = 100;
const DESCRIPTION_CHARACTERS = 2048;

export const groupId = z.string().transform(readAs(readGroupId, "not_a_group_id")).openapi({ type: "string", example: EXAMPLE.group });

export const subject = z
  .string()
  .min(1)
  .refine((value) => hasAtMostCharacters(value, SUBJECT_CHARACTERS), problem("too_long", { most: SUBJECT_CHARACTERS }))
  .openapi({ maxLength: SUBJECT_CHARACTERS, example: "Equipe" });

export const description = z
  .string()
  .refine((value) => hasAtMostCharacters(value, DESCRIPTION_CHARACTERS), problem("too_long", { most: DESCRIPTION_CHARACTERS }))
  .openapi({
    maxLength: DESCRIPTION_CHARACTERS,
    ...says({ en: "Empty removes the description", pt: "Deixe vazio para remover a descrição" }),
  });

export const participant = z
  .string()
  .transform(readAs(readPersonId, "not_a_person", { code: "invalid_number" }))
  .openapi({ type: "string", example: EXAMPLE.other });

export const inviteCode = z
  .string()
  .max(512)
  .transform(readAs(readInviteCode, "not_an_invite"))
  .openapi({ type: "string", ...says({ en: "The code, or the link that ends in it", pt: "O código, ou o link que termina nele" }) });

const settings = {
  messages_admins_only: z.boolean(),
  info_admins_only: z.boolean(),
  members_can_add: z.boolean(),
  join_approval: z.boolean(),
};

const disappearing = z.union([z.literal(0), z.literal(86_400), z.literal(604_800), z.literal(7_776_000)]);

export const groupSettingsBody = z
  .strictObject({ ...settings, disappearing_seconds: disappearing })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), problem("empty_change"))
  .openapi({ minProperties: 1 });

export const GROUP_FAILURES = [...NETWORK_FAILURES, "group_not_found", "not_group_admin"] as const;

export function groupViews(style: ApiStyle) {
  const { person, ofPerson } = style;
  const GroupSettings = z.object({ ...settings, disappearing_seconds: z.number().int() }).openapi("GroupSettings");
  const GroupParticipant = z
    .object({ ...ofPerson.fields, phone: phoneOrNull, name: z.string().nullable(), role: z.enum(["member", "admin", "superadmin"]) })
    .openapi("GroupParticipant");
  const Group = z
    .object({
      group_id: z.string(),
      subject: z.string(),
      description: z.string().nullable(),
      owner: person.schema,
      created_at: iso.nullable(),
      size: z.number().int(),
      my_role: z.enum(["member", "admin", "superadmin", "none"]),
      settings: GroupSettings,
      invite_link: z
        .string()
        .nullable()
        .openapi(says({ en: "As last read; null if unknown", pt: "O nome na última consulta; null se desconhecido" })),
      community_id: z.string().nullable(),
      is_announcement_group: z.boolean(),
    })
    .openapi("Group");
  const GroupDetail = Group.extend({ participants: z.array(GroupParticipant) }).openapi("GroupDetail");
  const GroupPreview = Group.omit({ my_role: true, settings: true, invite_link: true })
    .extend({ join_approval: z.boolean() })
    .openapi("GroupPreview");

  const group = view(Group, (record: GroupRecord) => {
    const { group_id, subject, description, size, my_role, settings: set, invite_link, community_id, is_announcement_group } = record;
    return {
      group_id,
      subject,
      description,
      owner: person.of(record.owner),
      created_at: isoOfMsOrNull(record.created_at),
      size,
      my_role,
      settings: set,
      invite_link,
      community_id,
      is_announcement_group,
    };
  });
  const showParticipants = ({ participants = [] }: GroupRecord) =>
    participants.map(({ person: who, name, role }) => ({ ...ofPerson.of(who), phone: phoneOf(who), name, role }));

  return {
    group,
    groupDetail: view(GroupDetail, (record: GroupRecord, context) => ({
      ...group.show(record, context),
      participants: showParticipants(record),
    })),
    groupSettings: view(GroupSettings, (set: GroupRecord["settings"]) => set),
    groupParticipants: view(z.array(GroupParticipant), showParticipants),
    groupPreview: view(GroupPreview, (preview: PreviewRecord) => ({
      ...preview,
      owner: person.of(preview.owner),
      created_at: isoOfMsOrNull(preview.created_at),
    })),
    ...peopleViews(style),
  };
}

function peopleViews({ ofPerson }: ApiStyle) {
  const ParticipantResult = z
    .object({
      ...ofPerson.fields,
      phone: phoneOrNull,
      status: z.enum(["ok", "failed"]),
      code: z
        .number()
        .int()
        .nullable()
        .openapi(says({ en: "WhatsApp's own code", pt: "O código do WhatsApp" })),
      reason: z.enum(PARTICIPANT_REASONS).nullable(),
      invite_sent: z.literal(false),
    })
    .openapi("ParticipantResult");
  const JoinRequest = z
    .object({
      request_id: z.string().openapi(says({ en: "Pass it to approve or reject", pt: "Para usar em approve e reject" })),
      ...ofPerson.fields,
      phone: phoneOrNull,
      method: z.enum(["invite_link", "linked_group_join", "non_admin_add", "unknown"]),
      requested_at: iso.nullable(),
    })
    .openapi("JoinRequest");
  const Invitation = z.object({ code: z.string(), link: z.string() }).openapi("GroupInvitation");
  return {
    /** Invitations are never sent automatically. A person who can only be invited is reported with the reason `privacy`. */
    participantResult: view(ParticipantResult, ({ person, status, code, reason }: ResultRecord) => ({
      ...ofPerson.of(person),
      phone: phoneOf(person),
      status,
      code,
      reason,
      invite_sent: false as const,
    })),
    joinRequest: view(JoinRequest, ({ person, method, requested_at }: RequestRecord) => ({
      request_id: chatIdOf(person),
      ...ofPerson.of(person),
      phone: phoneOf(person),
      method,
      requested_at: isoOfMsOrNull(requested_at),
    })),
    invitation: view(Invitation, (invitation: { code: string; link: string }, _: RenderContext) => invitation),
  };
}
