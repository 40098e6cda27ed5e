// Labels of a business account. Each change is reported by its event before it is answered.
import { z } from "zod";
import { ChatId, MessageId } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const label = { label_id: z.string(), name: z.string(), color: z.number().int() };

export const LABEL_COMMANDS = {
  /** Creates or changes the label. */
  "labels.put": { effect: "change", input: z.object({ ...label, predefined: z.boolean() }), output: nothing },
  /** Deletes the label. */
  "labels.remove": { effect: "change", input: z.object(label), output: nothing },
  /**
   * Adds labels to a chat and removes others, one by one: changes that were reported before a failure stay. Fails `chat_not_found`; answers
   * the chat's own id.
   */
  "labels.chat": {
    effect: "change",
    input: z.object({ chat_id: ChatId, add: z.array(z.string()), remove: z.array(z.string()) }),
    output: z.object({ chat_id: ChatId }),
  },
  /** Adds a label to a message, or removes it. */
  "labels.message": {
    effect: "change",
    input: z.object({ chat_id: ChatId, message_id: MessageId, label_id: z.string(), labelled: z.boolean() }),
    output: nothing,
  },
  /** Requests labels again that may have been missing after pairing; they are reported as events. */
  "labels.resync": { effect: "read", input: nothing, output: nothing },
} as const satisfies Record<string, CommandRow>;
