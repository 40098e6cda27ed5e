// Fields that all sends have in common (docs/use/apis.md, "Sending").
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import type { Problem } from "@gateway/domain/failures/field-problems.ts";
import { problem } from "#root/src/http/problems.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { formatCard, readCard } from "@gateway/domain/messages/vcard.ts";
import { chatId, destination, instantSeconds, messageId, phone, digits, flag, timestampInBody, optionalText, text } from "../fields.ts";

export const sendOptions = {
  quoted_message_id: messageId.nullish().openapi(says({ en: "The message to quote", pt: "A mensagem a citar" })),
  mentions: z
    .array(phone)
    .max(256)
    .nullish()
    .openapi(says({ en: "The people to mention: digits, or `<phone>@c.us`", pt: "As pessoas a mencionar: dígitos, ou `<telefone>@c.us`" })),
  mention_all: z
    .boolean()
    .nullish()
    .openapi(says({ en: "Mentions everyone in a group", pt: "Menciona todo mundo do grupo" })),
  reference: z
    .string()
    .max(128)
    .nullish()
    .openapi({
      ...says({ en: "Your own reference; returned in responses and events", pt: "A sua referência, devolvida em respostas e eventos" }),
      example: "pedido-1042",
    }),
  typing_ms: z
    .number()
    .int()
    .min(0)
    .max(25_000)
    .nullish()
    .openapi(
      says({
        en: 'Shows "typing" for this many milliseconds before the send',
        pt: "Mostra “digitando” por tantos milissegundos antes do envio",
      }),
    ),
  message_id: z
    .string()
    .regex(/^[A-Z0-9]{16,64}$/)
    .nullish()
    .openapi(
      says({
        en: "Your own id: 16 to 64 upper-case letters and digits. It identifies one request: repeating it with the same content returns the first response, and with other content 409.",
        pt: "Um id à sua escolha: de 16 a 64 letras maiúsculas e dígitos. Vale para um só conteúdo: se for repetido, recebe a primeira resposta; com outro conteúdo, recebe 409.",
      }),
    ),
  delivery: z
    .strictObject({
      at: instantSeconds
        .nullish()
        .openapi(
          says({ en: "When to send it; absent: as soon as the number can", pt: "Quando enviar; ausente: assim que o número puder" }),
        ),
      until: instantSeconds.nullish().openapi(
        says({
          en: "It is never sent after this time; absent: 24 hours after `at`, at most 7 days after it",
          pt: "Depois deste horário, ela não é mais enviada; ausente: 24 horas depois de `at`, no máximo 7 dias depois",
        }),
      ),
    })
    .nullish()
    .openapi(
      says({
        en: "The send waits: the answer is 202, and the outcome is an event",
        pt: "O envio fica na fila: a resposta é 202, e o resultado vem em um evento",
      }),
    ),
};

const sendFields = { to: destination.nullish(), chat_id: chatId.nullish(), ...sendOptions };

export type SendFields = z.output<z.ZodObject<typeof sendFields>>;

export type CrossCheck<S extends z.core.$ZodLooseShape> = (
  body: z.output<z.ZodObject<S>>,
  wrong: (field: keyof S & string, problem: Problem) => void,
) => void;

/** Returns the schema of a strict body with the form's own fields and the common ones. */
export function sendBody<S extends z.core.$ZodLooseShape>(own: S, check: CrossCheck<S> = () => undefined) {
  const checked = z.strictObject({ ...sendFields, ...own }).superRefine((body, context) => {
    const wrong = (field: string, name: Problem) =>
      context.addIssue({ code: "custom", path: [field], input: (body as Record<string, unknown>)[field], ...problem(name) });
    const { to, chat_id } = body as unknown as SendFields;
    if (((to ?? null) === null) === ((chat_id ?? null) === null)) wrong("to", "one_destination");
    check(body as unknown as z.output<z.ZodObject<S>>, wrong);
  });
  return checked.openapi({
    oneOf: [
      { required: ["to"], properties: { to: { type: "string" } } },
      { required: ["chat_id"], properties: { chat_id: { type: "string" } } },
    ],
  });
}

export function sendInput(body: SendFields): Omit<OperationInput<"messages.send">, "content"> {
  return {
    to: body.to ?? null,
    chat_id: body.chat_id ?? null,
    quoted_message_id: body.quoted_message_id ?? null,
    mentions: body.mentions ?? [],
    mention_all: body.mention_all ?? false,
    reference: body.reference ?? null,
    typing_ms: body.typing_ms ?? 0,
    message_id: body.message_id ?? null,
    source: "api",
    delivery: body.delivery == null ? null : { at: msOf(body.delivery.at), until: msOf(body.delivery.until) },
  };
}

function msOf(seconds: number | null | undefined): number | null {
  return seconds == null ? null : seconds * 1000;
}

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
    return readCard(vcard) ?? wrong("vcard", "not_a_vcard");
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
        phone: { type: "string", ...says({ en: "Phone number, digits only", pt: "Número de telefone, só dígitos" }) },
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

export const groupChat = chatId.refine((id) => id.endsWith("@g.us"), problem("not_a_group_id"));
