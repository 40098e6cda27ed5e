// Fields common to all sends (docs/use/apis.md, "Sending").
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { type Problem, problem } from "../../http/problems.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { chatId, destination, messageId, phone } from "../fields.ts";

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
    .openapi(says({ en: "Mentions everyone in a group", pt: "Menciona todo mundo de um grupo" })),
  reference: z
    .string()
    .max(128)
    .nullish()
    .openapi({
      ...says({ en: "Your own reference; returned in responses and events", pt: "A sua referência; volta em respostas e eventos" }),
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
        en: "Your own id: 16 to 64 upper-case letters and digits. It stands for one content: repeating it returns the first response, and other content returns 409.",
        pt: "Um id seu: de 16 a 64 letras maiúsculas e dígitos. Vale para um só conteúdo: repetido, recebe a primeira resposta; com outro conteúdo, recebe 409.",
      }),
    ),
};

const sendFields = { to: destination.nullish(), chat_id: chatId.nullish(), ...sendOptions };

export type SendFields = z.output<z.ZodObject<typeof sendFields>>;

export type CrossCheck<S extends z.core.$ZodLooseShape> = (
  body: z.output<z.ZodObject<S>>,
  wrong: (field: keyof S & string, problem: Problem) => void,
) => void;

/** A strict body: the form's own fields plus the common ones. */
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
  };
}
