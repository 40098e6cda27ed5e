import { says, type Text } from "#root/src/http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { groupId, happenedAt, phoneOrNull } from "./fields.ts";

const by = phoneOrNull({ en: "Phone number of who did it; null when unknown", pt: "Número de quem fez; null quando desconhecido" });

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
        is_me: z.boolean().openapi(says({ en: "Whether it is the number itself", pt: "Se é o próprio número" })),
      }),
    )
    .min(1)
    .openapi(says({ en: "Whom it is about", pt: "De quem se trata" })),
  by,
  reason: z
    .enum(["added", "invite_link", "request_approved", "left", "removed"])
    .nullable()
    .openapi(
      says({
        en: "How they came or why they went; null for `promote` and `demote`, and when unknown",
        pt: "Como vieram ou por que saíram; null em `promote` e `demote`, e quando desconhecido",
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
        .openapi(says({ en: "Whether an admin has to let newcomers in", pt: "Se um administrador precisa aprovar quem entra" })),
      disappearing_seconds: z
        .int()
        .min(0)
        .openapi(
          says({
            en: "After how many seconds messages disappear; 0: never",
            pt: "Depois de quantos segundos as mensagens somem; 0: nunca",
          }),
        ),
      picture_changed: z.literal(true).openapi(says({ en: "The picture was changed or removed", pt: "A foto foi trocada ou retirada" })),
      invite_link_changed: z
        .literal(true)
        .openapi(says({ en: "The invitation link was replaced", pt: "O link de convite foi substituído" })),
    })
    .partial()
    .openapi({ ...says({ en: "Only what changed", pt: "Só o que mudou" }), minProperties: 1 }),
  timestamp: happenedAt,
});
