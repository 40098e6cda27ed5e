// Changes of chats on all devices of the account. Each change is reported as
// `chat.updated` or `chat.deleted` before it is answered.
import { z } from "zod";
import { MessageRef } from "../content.ts";
import { ChatId } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

const chat = { chat_id: ChatId };

/**
 * The messages that a change covers: the newest of the chat, newest first, back to the newest one of another sender. Devices with newer
 * messages know by it that the change does not cover those. `timestamp` in Unix seconds.
 */
export const MessageRange = z.array(z.object({ ref: MessageRef, timestamp: z.number().int() }));
export type MessageRange = z.infer<typeof MessageRange>;

export const TYPING_STATES = ["typing", "recording", "paused"] as const;

export const CHAT_COMMANDS = {
  /** Archives or unarchives a chat. */
  "chats.archive": { effect: "change", input: z.object({ ...chat, archived: z.boolean(), range: MessageRange }), output: nothing },
  /** Pins or unpins a chat. */
  "chats.pin": { effect: "change", input: z.object({ ...chat, pinned: z.boolean() }), output: nothing },
  /** Mutes a chat until a time in Unix seconds; -1: always; null: unmutes it. */
  "chats.mute": { effect: "change", input: z.object({ ...chat, until: z.number().int().nullable() }), output: nothing },
  /** Marks a chat as read. Read receipts for `unread` are sent first, if the account's privacy settings allow it. */
  "chats.seen": { effect: "change", input: z.object({ ...chat, unread: z.array(MessageRef), range: MessageRange }), output: nothing },
  /** Marks a chat as unread. */
  "chats.unread": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Requests messages older than this one from the phone; they are reported as history if the phone answers. */
  "chats.history": {
    effect: "read",
    input: z.object({ ...chat, ref: MessageRef, timestamp: z.number().int(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  /** Deletes a chat with its messages. */
  "chats.delete": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Shows the number as typing or recording. Fails `number_not_on_network`. It ends after `duration_ms` (0: only by another call). */
  "chats.typing": {
    effect: "change",
    input: z.object({ ...chat, state: z.enum(TYPING_STATES), duration_ms: z.number().int().min(0).max(25_000) }),
    output: nothing,
  },
} as const satisfies Record<string, CommandRow>;
