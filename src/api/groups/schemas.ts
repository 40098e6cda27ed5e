import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "../../http/problems.ts";
import { readGroupId, readPersonId, readInviteCode } from "@gateway/domain/chats/chat-id.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { readAs } from "../../http/fields.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";

const SUBJECT_CHARACTERS = 100;
const DESCRIPTION_CHARACTERS = 2048;

export const groupId = z.string().transform(readAs(readGroupId, "no_group_id")).openapi({ type: "string", example: EXAMPLE.group });

export const subject = z
  .string()
  .min(1)
  .refine((value) => hasAtMostCharacters(value, SUBJECT_CHARACTERS), problem("too_long", { most: SUBJECT_CHARACTERS }))
  .openapi({ maxLength: SUBJECT_CHARACTERS, example: "Equipe" });

export const description = z
  .string()
  .refine((value) => hasAtMostCharacters(value, DESCRIPTION_CHARACTERS), problem("too_long", { most: DESCRIPTION_CHARACTERS }))
  .openapi({ maxLength: DESCRIPTION_CHARACTERS, ...says({ en: "Empty removes the description", pt: "Vazio remove a descrição" }) });

export const participant = z
  .string()
  .transform(readAs(readPersonId, "no_person", { code: "invalid_number" }))
  .openapi({ type: "string", example: EXAMPLE.other });

export const inviteCode = z
  .string()
  .max(512)
  .transform(readAs(readInviteCode, "no_invite"))
  .openapi({ type: "string", ...says({ en: "The code, or the link that ends in it", pt: "O código, ou o link que termina nele" }) });

export const settings = {
  messages_admins_only: z.boolean(),
  info_admins_only: z.boolean(),
  members_can_add: z.boolean(),
  join_approval: z.boolean(),
};

const disappearing = z.union([z.literal(0), z.literal(86_400), z.literal(604_800), z.literal(7_776_000)]);

export const groupSettingsBody = z
  .strictObject({ ...settings, disappearing_seconds: disappearing })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), problem("no_field"))
  .openapi({ minProperties: 1 });

export const GROUP_FAILURES = [...NETWORK_FAILURES, "group_not_found", "not_group_admin"] as const;
