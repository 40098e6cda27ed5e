import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { banInEvent } from "#root/src/http/number-health-fields.ts";
import { digits, groupId, happenedAt, instanceId, isoTime, person } from "./fields.ts";

const phoneNumber = digits({ en: "Phone number of the instance, digits only", pt: "Número da instância, só dígitos" });

export const instanceConnected = z.strictObject({
  instance_id: instanceId,
  status: z.literal("connected").openapi(says({ en: "The status of the instance", pt: "O status da instância" })),
  phone_number: phoneNumber,
  profile_name: z
    .string()
    .nullable()
    .openapi(says({ en: "Name of the number's profile; null while unknown", pt: "Nome do perfil do número; null enquanto desconhecido" })),
});

export const instanceDisconnected = z.strictObject({
  instance_id: instanceId,
  status: z.enum(["disconnected", "connecting", "failed"]).openapi(
    says({
      en: "`connecting`: reconnecting; `failed`: someone has to act, unless `will_reconnect` is true",
      pt: "`connecting`: reconectando; `failed`: alguém precisa agir, a menos que `will_reconnect` seja true",
    }),
  ),
  reason: z.enum(STATUS_REASONS).openapi(says({ en: "The reason", pt: "O motivo" })),
  phone_number: phoneNumber.nullable(),
  ban: banInEvent,
  will_reconnect: z.boolean().openapi(says({ en: "Whether the gateway reconnects on its own", pt: "Se o gateway reconecta sozinho" })),
  timestamp: happenedAt,
});

export const instanceQr = z.strictObject({
  instance_id: instanceId,
  qr: z
    .string()
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)
    .openapi(says({ en: "The QR code as a data URL (PNG)", pt: "O QR code como data URL (PNG)" })),
  raw: z
    .string()
    .min(1)
    .openapi(says({ en: "The text of the QR code", pt: "O texto do QR code" })),
  expires_at: isoTime({ en: "When the code expires; the next one follows", pt: "Quando o código expira; o próximo vem em seguida" }),
  attempt: z
    .int()
    .positive()
    .openapi(
      says({
        en: "1 for the first code of this pairing, then 2, and so on",
        pt: "1 para o primeiro código deste pareamento, depois 2, e assim por diante",
      }),
    ),
});

const membership = {
  group_id: groupId,
  participant: person({
    en: "The person; null if the phone number is unknown",
    pt: "A pessoa; null se o número é desconhecido",
  }),
  by: person({ en: "Who did it; null when unknown", pt: "Quem fez; null quando desconhecido" }),
  is_me: z.boolean().openapi(says({ en: "Whether it is this number", pt: "Se é o próprio número" })),
};

export const groupJoined = z.strictObject({
  ...membership,
  reason: z
    .enum(["added", "invite_link", "request_approved", "created"])
    .nullable()
    .openapi(says({ en: "How the person joined; null if unknown", pt: "Como a pessoa entrou; null se não se sabe" })),
});

export const groupLeft = z.strictObject({
  ...membership,
  reason: z
    .enum(["left", "removed"])
    .nullable()
    .openapi(says({ en: "Why the person left; null if unknown", pt: "Por que a pessoa saiu; null se não se sabe" })),
});

export const contactCreated = z.strictObject({
  contact_id: z.string().openapi(says({ en: "Id of the contact's chat", pt: "Id da conversa do contato" })),
  phone_number: digits({ en: "Phone number of the contact, digits only", pt: "Número do contato, só dígitos" }).nullable(),
  name: z
    .string()
    .nullable()
    .openapi(says({ en: "The saved name", pt: "O nome salvo" })),
  push_name: z
    .string()
    .nullable()
    .openapi(says({ en: "The contact's own profile name", pt: "O nome que o contato usa no perfil" })),
  source: z
    .enum(["saved", "detected"])
    .openapi(says({ en: "Saved by the owner, or seen for the first time", pt: "Salvo pelo dono, ou visto pela primeira vez" })),
  timestamp: happenedAt,
});

export const webhookTest = z.strictObject({
  message: z
    .string()
    .min(1)
    .openapi(says({ en: "A sentence for people", pt: "Uma frase para pessoas" })),
  timestamp: happenedAt,
});
