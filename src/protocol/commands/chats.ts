// Changes of chats on all devices of the account. Each emits `chat.updated` or `chat.deleted` before it is answered.
import { z } from "zod";
import { MessageRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const chat = { chat_id: ChatId };

/**
 * The messages that a change covers: from the newest of the chat back to the newest one of another sender, newest first. Devices that have
 * newer messages can tell that the change does not cover those. `timestamp` in Unix seconds.
 */
export const MessageRange = z.array(z.object({ ref: MessageRef, timestamp: z.number().int() }));
export type MessageRange = z.infer<typeof MessageRange>;

export const TYPING_STATES = ["typing", "recording", "paused"] as const;

export const CHAT_COMMANDS = {
  "chats.archive": { effect: "change", input: z.object({ ...chat, archived: z.boolean(), range: MessageRange }), output: nothing },
  "chats.pin": { effect: "change", input: z.object({ ...chat, pinned: z.boolean() }), output: nothing },
  /** `until` in Unix seconds; -1: forever; null: unmute. */
  "chats.mute": { effect: "change", input: z.object({ ...chat, until: z.number().int().nullable() }), output: nothing },
  /** Sends read receipts for `unread` first, if the account's privacy settings allow it. */
  "chats.seen": { effect: "change", input: z.object({ ...chat, unread: z.array(MessageRef), range: MessageRange }), output: nothing },
  "chats.unread": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Asks the phone for messages older than this one. If the phone answers, they arrive as history. */
  "chats.history": {
    effect: "read",
    input: z.object({ ...chat, ref: MessageRef, timestamp: z.number().int(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  "chats.delete": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Ends after `duration_ms`; 0: only by another call. Fails `number_not_on_network`. */
  "chats.typing": {
    effect: "change",
    input: z.object({ ...chat, state: z.enum(TYPING_STATES), duration_ms: z.number().int().min(0).max(25_000) }),
    output: nothing,
  },
} as const satisfies Record<string, CommandRow>;
