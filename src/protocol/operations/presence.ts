import { z } from "zod";
import { ChatId } from "../ids.ts";
import { PresenceRecord, OwnPresence } from "../records.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

const chat = { chat_id: ChatId };

export const PRESENCE_OPERATIONS = {
  /** The first read subscribes, and then fails like `presence.subscribe`. */
  "presence.get": { role: "viewer", kinds: SESSION_ONLY, input: z.object(chat), output: PresenceRecord },
  /** Fails `number_not_on_network`, and `subscription_limit` at 500 subscribed chats. */
  "presence.subscribe": { role: "operator", kinds: SESSION_ONLY, input: z.object(chat), output: nothing },
  "presence.unsubscribe": { role: "operator", kinds: SESSION_ONLY, input: z.object(chat), output: nothing },
  /** Restored after reconnects. Fails `profile_name_unknown`. */
  "presence.set": { role: "operator", kinds: SESSION_ONLY, input: z.object({ presence: OwnPresence }), output: nothing },
  "presence.own": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: nothing,
    output: z.object({ presence: OwnPresence, subscriptions: z.array(ChatId) }),
  },
} as const satisfies Record<string, OperationRow>;
