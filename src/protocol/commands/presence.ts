// Being online, and seeing who else is. The network forgets both with every socket.
import { z } from "zod";
import { ChatId } from "../ids.ts";
import { OwnPresence } from "../records.ts";
import { type CommandRow, nothing } from "./row.ts";

export const PRESENCE_COMMANDS = {
  /** Kept up across reconnects of this session. Fails `profile_name_unknown`: presence is told under the profile's name. */
  "presence.set": { effect: "change", input: z.object({ presence: OwnPresence }), output: nothing },
  /**
   * Asks to be told of these chats from now on, also across reconnects of this session; one that was asked for on this socket is not
   * asked for again. Waits for at most `wait_ms` until all of them have said something. Answers the chats as the network spells their
   * numbers, in the order asked for; null for a number that nobody has.
   */
  "presence.subscribe": {
    effect: "change",
    input: z.object({ chat_ids: z.array(ChatId), wait_ms: z.number().int().min(0).max(5_000) }),
    output: z.object({ chat_ids: z.array(ChatId.nullable()) }),
  },
  "presence.unsubscribe": { effect: "change", input: z.object({ chat_id: ChatId }), output: nothing },
} as const satisfies Record<string, CommandRow>;
