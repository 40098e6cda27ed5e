// Being online, and seeing who else is.
import { z } from "zod";
import { ChatId } from "../ids.ts";
import { PresenceRecord, OwnPresence } from "../records.ts";
import { nothing, ofSessions, type OperationRow } from "./row.ts";

const chat = { chat_id: ChatId };

export const PRESENCE_OPERATIONS = ofSessions({
  /** Subscribes on the first read. Fails as `presence.subscribe` does, then. */
  "presence.get": { role: "viewer", input: z.object(chat), output: PresenceRecord },
  /** Fails `number_not_on_network`, and `subscription_limit` when 500 chats are subscribed. */
  "presence.subscribe": { role: "operator", input: z.object(chat), output: nothing },
  "presence.unsubscribe": { role: "operator", input: z.object(chat), output: nothing },
  /** Restored on reconnects. Fails `profile_name_unknown`. */
  "presence.set": { role: "operator", input: z.object({ presence: OwnPresence }), output: nothing },
  "presence.own": { role: "viewer", input: nothing, output: z.object({ presence: OwnPresence, subscriptions: z.array(ChatId) }) },
} as const satisfies Record<string, OperationRow>);
