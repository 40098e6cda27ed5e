import { z } from "zod";
import { ChatId, MessageId } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const label = { label_id: z.string(), name: z.string(), color: z.number().int() };

export const LABEL_COMMANDS = {
  "labels.put": { effect: "change", input: z.object({ ...label, predefined: z.boolean() }), output: nothing },
  "labels.remove": { effect: "change", input: z.object(label), output: nothing },
  /** Labels change one by one: those changed before a failure stay changed. Answers the chat's canonical id. Fails `chat_not_found`. */
  "labels.chat": {
    effect: "change",
    input: z.object({ chat_id: ChatId, add: z.array(z.string()), remove: z.array(z.string()) }),
    output: z.object({ chat_id: ChatId }),
  },
  "labels.message": {
    effect: "change",
    input: z.object({ chat_id: ChatId, message_id: MessageId, label_id: z.string(), labelled: z.boolean() }),
    output: nothing,
  },
  /** Asks the network again for labels that may have been missing after pairing. They arrive as events. */
  "labels.resync": { effect: "read", input: nothing, output: nothing },
} as const satisfies Record<string, CommandRow>;
