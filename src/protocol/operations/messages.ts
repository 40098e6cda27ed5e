// Sends, and reads of messages (catalogue A3, A4, B2, B3).
import { z } from "zod";
import { SendContent } from "../content.ts";
import { ChatId, MessageId, Phone } from "../ids.ts";
import { MessageRecord } from "../records.ts";
import { nextCursor, type OperationRow, page } from "./row.ts";

/** A forward names its source; the object finds the bytes that the network needs. */
const RequestedContent = z.discriminatedUnion("kind", [
  ...SendContent.options,
  z.object({ kind: z.literal("forward_of"), chat_id: ChatId, message_id: MessageId }),
]);

const SendInput = z.object({
  /** Exactly one of the two. */
  to: Phone.nullable(),
  chat_id: ChatId.nullable(),
  content: RequestedContent,
  quoted_message_id: MessageId.nullable(),
  /** Digits. */
  mentions: z.array(z.string()),
  mention_all: z.boolean(),
  reference: z.string().max(128).nullable(),
  typing_ms: z.number().int().min(0).max(25_000),
  /** Chosen by the caller (Surface A); else by the object. */
  message_id: z.string().regex(/^[A-Z0-9]{16,64}$/).nullable(),
  source: z.enum(["api", "dashboard"]),
});

const SendResult = z.object({
  message_id: MessageId, chat_id: ChatId, to: z.string().nullable(), to_resolved: z.string().nullable(), is_group: z.boolean(),
  type: z.string(), reference: z.string().nullable(), timestamp: z.number().int(),
});

const MessagesQuery = z.object({
  chat_id: ChatId.nullable(), ...page,
  /** Unix seconds, exclusive. */
  before: z.number().int().nullable(), after: z.number().int().nullable(),
  from_me: z.boolean().nullable(), type: z.string().nullable(), reference: z.string().nullable(), status: z.string().nullable(), q: z.string().nullable(),
});

export const MESSAGE_OPERATIONS = {
  /** Answers after the network's acknowledgement (architecture, decision 3). */
  "messages.send": { role: "operator", resumable: true, filesLast: true, input: SendInput, output: SendResult },
  "messages.get": { role: "viewer", input: z.object({ message_id: MessageId, chat_id: ChatId.nullable() }), output: MessageRecord },
  "messages.list": { role: "viewer", input: MessagesQuery, output: z.object({ items: z.array(MessageRecord), next_cursor: nextCursor }) },
} as const satisfies Record<string, OperationRow>;
