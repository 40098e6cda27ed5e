import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { groupId, happenedAt, phoneOrNull } from "./fields.ts";

const by = phoneOrNull({ en: "Phone number of the person who did it; null if unknown", pt: "Número de quem fez; null se desconhecido" });

export const groupParticipants = z.strictObject({
  chat_id: groupId,
  action: z
    .enum(["join", "leave", "promote", "demote"])
    .openapi(says({ en: "What happened to the participants", pt: "O que aconteceu com os participantes" })),
  participants: z
    .array(
      z.strictObject({
        phone: phoneOrNull({
          en: "Phone number of the participant; null when unknown",
          pt: "Número do participante; null quando desconhecido",
        }),
        is_me: z.boolean().openapi(says({ en: "Whether it is this number", pt: "Se é o próprio número" })),
      }),
    )
    .min(1)
    .openapi(says({ en: "The people concerned", pt: "As pessoas envolvidas" })),
  by,
  reason: z
    .enum(["added", "invite_link", "request_approved", "left", "removed"])
    .nullable()
    .openapi(
      says({
        en: "How they joined or why they left; null for `promote` and `demote`, or if unknown",
        pt: "Como entraram ou por que saíram; null em `promote` e `demote`, ou se não se sabe",
      }),
    ),
  timestamp: happenedAt,
});

const adminsOnly = (what: Text) =>
  z.boolean().openapi(says({ en: `Whether only admins may ${what.en}`, pt: `Se só administradores podem ${what.pt}` }));

export const groupUpdated = z.strictObject({
  chat_id: groupId,
  by,
  changed: z
    .strictObject({
      subject: z.string().openapi(says({ en: "The new name", pt: "O nome novo" })),
      description: z
        .string()
        .nullable()
        .openapi(says({ en: "The new description; null when it was removed", pt: "A descrição nova; null quando foi retirada" })),
      messages_admins_only: adminsOnly({ en: "write messages", pt: "escrever mensagens" }),
      info_admins_only: adminsOnly({ en: "change name, description and picture", pt: "mudar nome, descrição e foto" }),
      members_can_add: z
        .boolean()
        .openapi(says({ en: "Whether every member may add others", pt: "Se qualquer membro pode adicionar outros" })),
      join_approval: z
        .boolean()
        .openapi(says({ en: "Whether an admin has to approve new members", pt: "Se um administrador precisa aprovar quem entra" })),
      disappearing_seconds: z
        .int()
        .min(0)
        .openapi(
          says({
            en: "Seconds until messages disappear; 0: never",
            pt: "Segundos até as mensagens sumirem; 0: nunca",
          }),
        ),
      picture_changed: z.literal(true).openapi(says({ en: "The picture was changed or removed", pt: "A foto foi trocada ou retirada" })),
      invite_link_changed: z
        .literal(true)
        .openapi(says({ en: "The invitation link was replaced", pt: "O link de convite foi substituído" })),
    })
    .partial()
    .openapi({ ...says({ en: "Only the changes", pt: "Só as mudanças" }), minProperties: 1 }),
  timestamp: happenedAt,
});
