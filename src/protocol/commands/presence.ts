// The number's own presence, and presence of others. The network drops both with every socket.
import { z } from "zod";
import { ChatId } from "../ids.ts";
import { OwnPresence } from "../records.ts";
import { type CommandRow, nothing } from "./row.ts";

export const PRESENCE_COMMANDS = {
  /**
   * Sets the number's own presence, also after reconnects of this session. Fails `profile_name_unknown`: presence is sent with the profile's
   * name.
   */
  "presence.set": { effect: "change", input: z.object({ presence: OwnPresence }), output: nothing },
  /**
   * Subscribes to the presence of these chats, also across reconnects of this session; chats already subscribed on this socket are
   * skipped. Waits up to `wait_ms` for a first presence of all of them. Answers the chats under the network's spelling of their numbers,
   * in the order of the request; null for a number without an account.
   */
  "presence.subscribe": {
    effect: "change",
    input: z.object({ chat_ids: z.array(ChatId), wait_ms: z.number().int().min(0).max(5_000) }),
    output: z.object({ chat_ids: z.array(ChatId.nullable()) }),
  },
  /** Ends the subscription of a chat. */
  "presence.unsubscribe": { effect: "change", input: z.object({ chat_id: ChatId }), output: nothing },
} as const satisfies Record<string, CommandRow>;
