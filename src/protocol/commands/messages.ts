// Changes of messages on the owner's own devices, and download of files. Each change is reported
// (`message.starred`, `message.removed`, `chat.cleared`) before it is answered. Changes that others see are messages, and go
// through `send`.
import { z } from "zod";
import { MessageRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { StoredMedia } from "../message.ts";
import { MessageRange } from "./chats.ts";
import { type CommandRow, nothing } from "./row.ts";

export const MESSAGE_COMMANDS = {
  /** Stars or unstars a message. */
  "messages.star": { effect: "change", input: z.object({ ref: MessageRef, star: z.boolean() }), output: nothing },
  /** Deletes a message on the owner's devices. `timestamp` of the message, in Unix seconds. */
  "messages.delete_for_me": { effect: "change", input: z.object({ ref: MessageRef, timestamp: z.number().int() }), output: nothing },
  /** Deletes all messages of a chat on the owner's devices. */
  "messages.clear": { effect: "change", input: z.object({ chat_id: ChatId, range: MessageRange }), output: nothing },
  /** Downloads a message's file to R2; `raw` is `NetworkMessage.raw`. Fails `media_expired` when the network has deleted it. */
  "messages.fetch_media": { effect: "read", input: z.object({ raw: z.string() }), output: StoredMedia },
} as const satisfies Record<string, CommandRow>;
