// Chats, as the bridge changes them on all devices of the account. Each change is reported as
// `chat.updated` or `chat.deleted` before it is answered.
import { z } from "zod";
import { MessageRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const chat = { chat_id: ChatId };

/**
 * Up to where the change holds: the newest messages of the chat, newest first, back to the newest one of somebody else. A device
 * that has newer ones knows thereby that the change did not mean them. `timestamp` in Unix seconds.
 */
export const MessageRange = z.array(z.object({ ref: MessageRef, timestamp: z.number().int() }));
export type MessageRange = z.infer<typeof MessageRange>;

export const TYPING_STATES = ["typing", "recording", "paused"] as const;

export const CHAT_COMMANDS = {
  "chats.archive": { effect: "change", input: z.object({ ...chat, archived: z.boolean(), range: MessageRange }), output: nothing },
  "chats.pin": { effect: "change", input: z.object({ ...chat, pinned: z.boolean() }), output: nothing },
  /** Until a time in Unix seconds; -1 always, null no longer. */
  "chats.mute": { effect: "change", input: z.object({ ...chat, until: z.number().int().nullable() }), output: nothing },
  /** Read receipts for `unread` go first, as the privacy settings of the account want them. */
  "chats.seen": { effect: "change", input: z.object({ ...chat, unread: z.array(MessageRef), range: MessageRange }), output: nothing },
  "chats.unread": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Asks the phone for what is older than this message. What it answers comes as history, when it comes. */
  "chats.history": {
    effect: "read",
    input: z.object({ ...chat, ref: MessageRef, timestamp: z.number().int(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  "chats.delete": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Fails `number_not_on_network`. After `duration_ms` (0: never by itself) it is shown as stopped. */
  "chats.typing": {
    effect: "change",
    input: z.object({ ...chat, state: z.enum(TYPING_STATES), duration_ms: z.number().int().min(0).max(25_000) }),
    output: nothing,
  },
} as const satisfies Record<string, CommandRow>;
