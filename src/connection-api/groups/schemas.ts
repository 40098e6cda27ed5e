// Groups in answers and requests of the Connection API.
import { z } from "@hono/zod-openapi";
import { readGroupId, readPersonId } from "../../domain/chats/chat-id.ts";
import { readInviteCode } from "../../domain/chats/shared-links.ts";
import { hasAtMostCharacters } from "../../domain/messages/characters.ts";
import { readAs } from "../../http/fields.ts";
import { PARTICIPANT_REASONS } from "../../protocol/groups.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { iso, phoneOrNull } from "../fields.ts";

const SUBJECT_CHARACTERS = 100;
const DESCRIPTION_CHARACTERS = 2048;

export const groupId = z
  .string()
  .transform(readAs(readGroupId, "não é o id de um grupo"))
  .openapi({ type: "string", example: EXAMPLE.group });

export const subject = z
  .string()
  .min(1)
  .refine((value) => hasAtMostCharacters(value, SUBJECT_CHARACTERS), { error: `deve ter no máximo ${SUBJECT_CHARACTERS} caracteres` })
  .openapi({ maxLength: SUBJECT_CHARACTERS, example: "Equipe" });

/** "" removes it. */
export const description = z
  .string()
  .refine((value) => hasAtMostCharacters(value, DESCRIPTION_CHARACTERS), {
    error: `deve ter no máximo ${DESCRIPTION_CHARACTERS} caracteres`,
  })
  .openapi({ maxLength: DESCRIPTION_CHARACTERS, description: "Empty removes the description" });

/** Digits or `<phone>@c.us`; the chat id of a person afterwards. */
export const participant = z
  .string()
  .transform(readAs(readPersonId, "deve ser um telefone (só dígitos, de 7 a 15) ou <telefone>@c.us", { code: "invalid_number" }))
  .openapi({ type: "string", example: EXAMPLE.other });

export const inviteCode = z
  .string()
  .max(512)
  .transform(readAs(readInviteCode, "não é um código nem um link de convite"))
  .openapi({ type: "string", description: "The code, or the link that ends in it" });

const settings = {
  messages_admins_only: z.boolean(),
  info_admins_only: z.boolean(),
  members_can_add: z.boolean(),
  join_approval: z.boolean(),
};

export const GroupSettings = z.object({ ...settings, disappearing_seconds: z.number().int() }).openapi("GroupSettings");

/** The network knows these times only. */
const disappearing = z.union([z.literal(0), z.literal(86_400), z.literal(604_800), z.literal(7_776_000)]);

export const groupSettingsBody = z
  .strictObject({ ...settings, disappearing_seconds: disappearing })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), { error: "deve ter ao menos um campo" })
  .openapi({ minProperties: 1 });

export const GroupParticipant = z
  .object({ phone: phoneOrNull, name: z.string().nullable(), role: z.enum(["member", "admin", "superadmin"]) })
  .openapi("GroupParticipant");

export const Group = z
  .object({
    group_id: z.string(),
    subject: z.string(),
    description: z.string().nullable(),
    owner: phoneOrNull,
    created_at: iso.nullable(),
    size: z.number().int(),
    my_role: z.enum(["member", "admin", "superadmin", "none"]),
    settings: GroupSettings,
    invite_link: z.string().nullable().openapi({ description: "As last read; null when unknown" }),
    community_id: z.string().nullable(),
    is_announcement_group: z.boolean(),
  })
  .openapi("Group");

export const GroupDetail = Group.extend({ participants: z.array(GroupParticipant) }).openapi("GroupDetail");

/** The part of a group that an invitation shows. */
export const GroupPreview = Group.omit({ my_role: true, settings: true, invite_link: true })
  .extend({ join_approval: z.boolean() })
  .openapi("GroupPreview");

export const ParticipantResult = z
  .object({
    phone: phoneOrNull,
    status: z.enum(["ok", "failed"]),
    code: z.number().int().nullable().openapi({ description: "The code of the network" }),
    reason: z.enum(PARTICIPANT_REASONS).nullable(),
    invite_sent: z.literal(false),
  })
  .openapi("ParticipantResult");

export const JoinRequest = z
  .object({
    request_id: z.string().openapi({ description: "Accepted by approve and reject" }),
    phone: phoneOrNull,
    method: z.enum(["invite_link", "linked_group_join", "non_admin_add", "unknown"]),
    requested_at: iso.nullable(),
  })
  .openapi("JoinRequest");

export const Invitation = z.object({ code: z.string(), link: z.string() }).openapi("GroupInvitation");

/** Of whatever acts on a group. */
export const GROUP_FAILURES = [...NETWORK_FAILURES, "group_not_found", "not_group_admin"] as const;
