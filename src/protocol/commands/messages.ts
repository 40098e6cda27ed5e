// Changes on the owner's own devices. Each emits its event (`message.starred`, `message.removed`, `chat.cleared`) before it is answered.
// Changes that other people see are messages and go through `send`.
import { z } from "zod";
import { MessageRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { StoredMedia } from "../message.ts";
import { MessageRange } from "./chats.ts";
import { type CommandRow, nothing } from "./row.ts";

export const MESSAGE_COMMANDS = {
  "messages.star": { effect: "change", input: z.object({ ref: MessageRef, star: z.boolean() }), output: nothing },
  "messages.delete_for_me": { effect: "change", input: z.object({ ref: MessageRef, timestamp: z.number().int() }), output: nothing },
  "messages.clear": { effect: "change", input: z.object({ chat_id: ChatId, range: MessageRange }), output: nothing },
  /** Downloads the file of `NetworkMessage.raw` into R2. Fails `media_expired` when the network has deleted it. */
  "messages.fetch_media": { effect: "read", input: z.object({ raw: z.string() }), output: StoredMedia },
} as const satisfies Record<string, CommandRow>;
