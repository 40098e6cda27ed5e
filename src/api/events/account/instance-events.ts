import { says } from "#root/src/http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
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
      en: "`connecting`: it is being reconnected; `failed`: somebody has to act, unless `will_reconnect`",
      pt: "`connecting`: está sendo reconectada; `failed`: alguém precisa agir, a menos que haja `will_reconnect`",
    }),
  ),
  reason: z.enum(STATUS_REASONS).openapi(says({ en: "Why", pt: "Por quê" })),
  phone_number: phoneNumber.nullable(),
  ban: banInEvent,
  will_reconnect: z
    .boolean()
    .openapi(says({ en: "Whether the gateway connects it again by itself", pt: "Se o gateway a conecta de novo por si" })),
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
  expires_at: isoTime({ en: "When the code stops working; another one follows", pt: "Quando o código deixa de valer; outro o segue" }),
  attempt: z
    .int()
    .positive()
    .openapi(
      says({ en: "1 for the first code of this pairing, and so on", pt: "1 para o primeiro código deste pareamento, e assim por diante" }),
    ),
});

const membership = {
  group_id: groupId,
  participant: person({
    en: "Whom it is about; null when the phone number is unknown",
    pt: "De quem se trata; null quando o número é desconhecido",
  }),
  by: person({ en: "Who did it; null when unknown", pt: "Quem fez; null quando desconhecido" }),
  is_me: z.boolean().openapi(says({ en: "Whether it is the number itself", pt: "Se é o próprio número" })),
};

export const groupJoined = z.strictObject({
  ...membership,
  reason: z
    .enum(["added", "invite_link", "request_approved", "created"])
    .nullable()
    .openapi(says({ en: "How they came; null when unknown", pt: "Como vieram; null quando desconhecido" })),
});

export const groupLeft = z.strictObject({
  ...membership,
  reason: z
    .enum(["left", "removed"])
    .nullable()
    .openapi(says({ en: "Why they went; null when unknown", pt: "Por que saíram; null quando desconhecido" })),
});

export const contactCreated = z.strictObject({
  contact_id: z.string().openapi(says({ en: "Id of the contact's chat", pt: "Id da conversa do contato" })),
  phone_number: digits({ en: "Phone number of the contact, digits only", pt: "Número do contato, só dígitos" }).nullable(),
  name: z
    .string()
    .nullable()
    .openapi(says({ en: "The name under which it was saved", pt: "O nome com que foi salvo" })),
  push_name: z
    .string()
    .nullable()
    .openapi(says({ en: "The name the contact has given themselves", pt: "O nome que o contato deu a si mesmo" })),
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
