// The network forgets presence and subscriptions with every socket; the bridge restores them on reconnect.
import { z } from "zod";
import { ChatId } from "../ids.ts";
import { OwnPresence } from "../records.ts";
import { type CommandRow, nothing } from "./row.ts";

export const PRESENCE_COMMANDS = {
  /** Fails `profile_name_unknown`, because presence is sent with the profile's name. */
  "presence.set": { effect: "change", input: z.object({ presence: OwnPresence }), output: nothing },
  /**
   * Skips chats already subscribed on this socket, and waits up to `wait_ms` for a first presence of all of them. Answers in request order,
   * with numbers as the network spells them; null for a number without an account.
   */
  "presence.subscribe": {
    effect: "change",
    input: z.object({ chat_ids: z.array(ChatId), wait_ms: z.number().int().min(0).max(5_000) }),
    output: z.object({ chat_ids: z.array(ChatId.nullable()) }),
  },
  "presence.unsubscribe": { effect: "change", input: z.object({ chat_id: ChatId }), output: nothing },
} as const satisfies Record<string, CommandRow>;
