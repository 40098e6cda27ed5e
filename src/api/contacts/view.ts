import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, readAs } from "../../http/fields.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { ContactRecord } from "@gateway/protocol/records.ts";
import { readPersonId } from "@gateway/domain/chats/chat-id.ts";
import { view } from "../answers.ts";
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

export const contactId = z.string().transform(readAs(readPersonId, "no_contact_id")).openapi({ type: "string", example: EXAMPLE.chat });

export const contactBody = z.strictObject({ full_name: text(256).openapi({ example: "Maria Silva" }), first_name: text(128).nullish() });

export const pictureSize = z.enum(["preview", "full"]).default("preview");
