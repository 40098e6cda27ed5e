import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, readAs } from "#root/src/http/fields.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { ADVICE, WHY } from "@gateway/protocol/operations/reachability.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { ContactRecord } from "@gateway/protocol/records.ts";
import { readPersonId } from "@gateway/domain/chats/chat-id.ts";
import { view } from "../responses.ts";
import { phoneOrNull, text } from "../fields.ts";
import { mediaUrl, phoneOf } from "../messages/view.ts";
import { EXAMPLE } from "../example-values.ts";

const Contact = z
  .object({
    contact_id: z.string(),
    phone: phoneOrNull,
    name: z
      .string()
      .nullable()
      .openapi(says({ en: "As saved in the address book", pt: "O nome salvo na agenda" })),
    push_name: z
      .string()
      .nullable()
      .openapi(says({ en: "The name that the person uses on WhatsApp", pt: "O nome que a pessoa usa no WhatsApp" })),
    verified_name: z.string().nullable(),
    is_saved: z.boolean(),
    is_business: z.boolean(),
    is_blocked: z.boolean(),
    picture_url: z
      .string()
      .nullable()
      .openapi(
        says({
          en: "The picture as last read; null if it was never read",
          pt: "A foto na última consulta; null se nunca foi consultada",
        }),
      ),
    updated_at: iso,
  })
  .openapi("Contact");

export const contact = view(Contact, (record: ContactRecord, context) => {
  const { contact_id, name, push_name, verified_name, is_saved, is_business, is_blocked } = record;
  return {
    contact_id,
    phone: phoneOf(record.person),
    name,
    push_name,
    verified_name,
    is_saved,
    is_business,
    is_blocked,
    picture_url: mediaUrl(record.picture, context),
    updated_at: isoOfMs(record.updated_at),
  };
});

const NumberCheck = z
  .object({
    phone: z.string(),
    exists: z.boolean(),
    chat_id: z
      .string()
      .nullable()
      .openapi(
        says({
          en: "The number as WhatsApp registers it; null without an account",
          pt: "O número como o WhatsApp o registra; null sem conta",
        }),
      ),
  })
  .openapi("NumberCheck");

export const numberCheck = view(NumberCheck, ({ phone, found }: OperationOutput<"contacts.check">["items"][number]) => ({
  phone,
  exists: found !== null,
  chat_id: found === null ? null : `${found}@c.us`,
}));

const until = iso.nullable();

const Reachability = z
  .object({
    exists: z
      .boolean()
      .nullable()
      .openapi(says({ en: "null if WhatsApp cannot be asked", pt: "null se não é possível consultar o WhatsApp" })),
    chat: z
      .enum(["known", "first_contact"])
      .openapi(says({ en: "Whether the number has a chat with this person", pt: "Se o número já tem uma conversa com a pessoa" })),
    last_inbound_at: iso.nullable().openapi(says({ en: "The person's last message", pt: "A última mensagem da pessoa" })),
    session: z.enum(INSTANCE_STATUSES).openapi(says({ en: "The status of the number", pt: "O status do número" })),
    restriction: z
      .object({ until: until.openapi(says({ en: "null if WhatsApp does not say", pt: "null se o WhatsApp não informa" })) })
      .nullable()
      .openapi(says({ en: "WhatsApp forbids new chats", pt: "O WhatsApp proíbe conversas novas" })),
    new_chats: z
      .object({
        left: z
          .number()
          .int()
          .openapi(says({ en: "How many are left", pt: "Quantas restam" })),
        of: z
          .number()
          .int()
          .nullable()
          .openapi(says({ en: "The whole quota; null if unknown", pt: "A cota total; null se desconhecida" })),
        until: until.openapi(
          says({ en: "When more are allowed; null if unknown", pt: "Quando mais serão permitidas; null se desconhecido" }),
        ),
      })
      .nullable()
      .openapi(
        says({
          en: "New chats that WhatsApp's quota or `pacing.new_chats_per_hour` still allows, whichever is lower; null if unlimited or unknown",
          pt: "Conversas novas que a cota do WhatsApp ou `pacing.new_chats_per_hour` ainda permite, o que for menor; null se não há limite conhecido",
        }),
      ),
    window_until: iso
      .nullable()
      .openapi(says({ en: "Cloud API: end of the 24-hour window", pt: "Cloud API: o fim da janela de 24 horas" })),
    advice: z.enum(ADVICE).openapi(says({ en: "The recommended next step", pt: "O que fazer agora" })),
    why: z
      .enum(WHY)
      .nullable()
      .openapi(says({ en: "The reason; null with `send`", pt: "O motivo; null com `send`" })),
  })
  .openapi("Reachability");

export const reachability = view(Reachability, (record: OperationOutput<"contacts.reachability">) => {
  const { restriction, new_chats: chats } = record;
  return {
    ...record,
    last_inbound_at: isoOfMsOrNull(record.last_inbound_at),
    restriction: restriction === null ? null : { until: isoOfMsOrNull(restriction.until) },
    new_chats: chats === null ? null : { ...chats, until: isoOfMsOrNull(chats.until) },
    window_until: isoOfMsOrNull(record.window_until),
  };
});

const Picture = z.object({ url: z.string(), expires_at: iso }).openapi("Picture");

export const picture = view(Picture, ({ media, expires_at }: OperationOutput<"pictures.get">, context) => ({
  // A picture is returned only once a copy is stored.
  url: mediaUrl(media, context) ?? "",
  expires_at: isoOfMs(expires_at),
}));

const About = z
  .object({
    about: z
      .string()
      .nullable()
      .openapi(says({ en: "null when empty or hidden", pt: "null quando vazio ou oculto" })),
    set_at: iso.nullable(),
  })
  .openapi("About");

export const aboutText = view(About, ({ about, set_at }: OperationOutput<"contacts.about">) => ({ about, set_at: isoOfMsOrNull(set_at) }));

const BusinessProfile = z
  .object({
    description: z.string().nullable(),
    email: z.string().nullable(),
    websites: z.array(z.string()),
    address: z.string().nullable(),
    category: z.string().nullable(),
  })
  .openapi("BusinessProfile");

export const businessProfile = view(BusinessProfile, (business: OperationOutput<"contacts.business_profile">) => business);

const Profile = z
  .object({
    phone: phoneOrNull,
    name: z.string().nullable(),
    about: z.string().nullable(),
    picture_url: z.string().nullable(),
    is_business: z.boolean(),
    business: BusinessProfile.nullable(),
  })
  .openapi("Profile");

export const ownProfile = view(Profile, ({ picture: shown, ...record }: OperationOutput<"profile.get">, context) => ({
  ...record,
  picture_url: mediaUrl(shown, context),
}));

export const contactId = z.string().transform(readAs(readPersonId, "not_a_contact_id")).openapi({ type: "string", example: EXAMPLE.chat });

export const contactBody = z.strictObject({ full_name: text(256).openapi({ example: "Maria Silva" }), first_name: text(128).nullish() });

export const pictureSize = z.enum(["preview", "full"]).default("preview");
