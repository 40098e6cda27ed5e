// What every send of the Connection API takes and answers (docs/apis.md, "Sending").
import { z } from "@hono/zod-openapi";
import type { OperationInput, OperationOutput } from "../../protocol/operations.ts";
import { chatId, destination, digits, messageId, phoneOrNull, unixSeconds, messageType } from "../fields.ts";

/** Optional fields of every send. */
export const sendOptions = {
  quoted_message_id: messageId.nullish().openapi({ description: "The message to quote" }),
  mentions: z.array(digits).max(256).nullish().openapi({ description: "Who is mentioned, digits only" }),
  mention_all: z.boolean().nullish().openapi({ description: "Mentions everybody in a group" }),
  reference: z.string().max(128).nullish().openapi({ description: "Yours, returned in answers and events", example: "pedido-1042" }),
  typing_ms: z
    .number()
    .int()
    .min(0)
    .max(25_000)
    .nullish()
    .openapi({ description: "Shows that you are typing before it is sent, for this many milliseconds" }),
  message_id: z
    .string()
    .regex(/^[A-Z0-9]{16,64}$/)
    .nullish()
    .openapi({
      description:
        "Chosen by you: 16 to 64 upper-case letters and digits. It stands for one content: the same content again gets the first answer, other content 409.",
    }),
};

/** Destination and options of every send; exactly one of `to` and `chat_id`. */
const sendFields = { to: destination.nullish(), chat_id: chatId.nullish(), ...sendOptions };

export type SendFields = z.output<z.ZodObject<typeof sendFields>>;

/** A check across fields. */
export type CrossCheck<S extends z.core.$ZodLooseShape> = (
  body: z.output<z.ZodObject<S>>,
  wrong: (field: keyof S & string, message: string) => void,
) => void;

/** A body of a send: its own fields beside the common ones, and no others. */
export function sendBody<S extends z.core.$ZodLooseShape>(own: S, check: CrossCheck<S> = () => undefined) {
  const checked = z.strictObject({ ...sendFields, ...own }).superRefine((body, context) => {
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message, input: (body as Record<string, unknown>)[field] });
    const { to, chat_id } = body as unknown as SendFields;
    if (((to ?? null) === null) === ((chat_id ?? null) === null)) wrong("to", "informe exatamente um dos dois: to ou chat_id");
    check(body as unknown as z.output<z.ZodObject<S>>, wrong);
  });
  return checked.openapi({
    oneOf: [
      { required: ["to"], properties: { to: { type: "string" } } },
      { required: ["chat_id"], properties: { chat_id: { type: "string" } } },
    ],
  });
}

/** The operation's input, without its content. */
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

export const SendResult = z
  .object({
    message_id: z.string(),
    chat_id: z.string(),
    to: phoneOrNull,
    to_resolved: phoneOrNull,
    is_group: z.boolean(),
    type: messageType,
    status: z.literal("sent"),
    reference: z.string().nullable(),
    timestamp: unixSeconds,
  })
  .openapi("SendResult");

/** Sends answer unwrapped (docs/apis.md, "Shapes"). */
export function renderSent(result: OperationOutput<"messages.send">): z.input<typeof SendResult> {
  const { message_id, chat_id, to, to_resolved, is_group, type, reference, timestamp } = result;
  return { message_id, chat_id, to, to_resolved, is_group, type, status: "sent", reference, timestamp };
}
