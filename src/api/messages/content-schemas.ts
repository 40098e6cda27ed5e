import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { type Problem, problem } from "../../http/problems.ts";
import { formatCard, readCard } from "@gateway/domain/messages/vcard.ts";
import { chatId, digits, flag, timestampInBody, optionalText, text } from "../fields.ts";

export const place = {
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: optionalText(256),
  address: optionalText(512),
};

const MAX_VCARD_CHARACTERS = 16_384;

const person = z.strictObject({
  full_name: text(256).nullish(),
  phone: digits.nullish(),
  organization: optionalText(256),
  email: z.email().max(254).nullish(),
  vcard: z
    .string()
    .min(1)
    .max(MAX_VCARD_CHARACTERS)
    .nullish()
    .openapi(says({ en: "Instead of the other fields", pt: "Em vez dos outros campos" })),
});

const contact = person.transform((given, context) => {
  const { full_name, phone, organization, email, vcard } = given;
  const wrong = (field: keyof typeof given, name: Problem) => {
    context.addIssue({ code: "custom", path: [field], input: given[field], ...problem(name) });
    return z.NEVER;
  };
  const fields = [full_name, phone, organization, email].some((value) => value !== null && value !== undefined);
  if (vcard !== null && vcard !== undefined) {
    if (fields) return wrong("vcard", "vcard_alone");
    return readCard(vcard) ?? wrong("vcard", "no_vcard");
  }
  if (full_name === null || full_name === undefined) return wrong("full_name", "card_incomplete");
  if (phone === null || phone === undefined) return wrong("phone", "card_incomplete");
  return formatCard({ fullName: full_name, phone, organization, email: email ?? null });
});
const documentedContact = contact.openapi({
  oneOf: [
    { required: ["vcard"], properties: { vcard: { type: "string" } } },
    {
      required: ["full_name", "phone"],
      properties: {
        full_name: { type: "string" },
        phone: { type: "string", ...says({ en: "Phone number, digits only", pt: "Telefone, só dígitos" }) },
      },
    },
  ],
});

export const contacts = z.array(documentedContact).min(1).max(20);

const MAX_OPTIONS = 12;

export const poll = {
  question: text(255),
  options: z
    .array(text(100))
    .min(2)
    .max(MAX_OPTIONS)
    .refine((options) => new Set(options).size === options.length, problem("repeated_option")),
  selectable_count: z
    .number()
    .int()
    .min(0)
    .max(MAX_OPTIONS)
    .nullish()
    .transform((count) => count ?? 1)
    .openapi({
      type: "integer",
      default: 1,
      ...says({
        en: "How many options each person may choose; 0 = any number",
        pt: "Quantas opções cada um pode escolher; 0 = quantas quiser",
      }),
    }),
};

export const event = {
  name: text(100),
  description: optionalText(2048),
  starts_at: timestampInBody,
  ends_at: timestampInBody.nullish(),
  location: z.strictObject(place).nullish(),
  extra_guests: flag(false),
  cancelled: flag(false),
};

export const groupChat = chatId.refine((id) => id.endsWith("@g.us"), problem("no_group_id"));
