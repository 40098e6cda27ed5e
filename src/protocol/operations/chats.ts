import { z } from "zod";
import { TYPING_STATES } from "../commands/chats.ts";
import { ChatId } from "../ids.ts";
import { ChatRecord } from "../records.ts";
import { BOTH_KINDS, SESSION_ONLY } from "./kinds.ts";
import { nextCursor, nothing, type OperationRow, page } from "./row.ts";

const ChatsQuery = z.object({
  ...page,
  archived: z.boolean().nullable(),
  unread: z.boolean().nullable(),
  kind: z.enum(["direct", "group", "channel"]).nullable(),
  label_id: z.string().nullable(),
  q: z.string().nullable(),
});

const chat = { chat_id: ChatId };

/** All changes but typing fail `chat_not_found` for a chat that never had a message. */
export const CHAT_OPERATIONS = {
  "chats.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asStored: true,
    input: ChatsQuery,
    output: z.object({ items: z.array(ChatRecord), next_cursor: nextCursor }),
  },
  "chats.get": { role: "viewer", kinds: BOTH_KINDS, asStored: true, input: z.object(chat), output: ChatRecord },
  "chats.delete": { role: "operator", kinds: BOTH_KINDS, input: z.object(chat), output: nothing },
  /** Marks all messages as read and sends receipts, if the account's privacy settings allow it. */
  "chats.seen": { role: "operator", kinds: BOTH_KINDS, input: z.object(chat), output: nothing },
  "chats.unread": { role: "operator", kinds: SESSION_ONLY, input: z.object(chat), output: nothing },
  "chats.archive": { role: "operator", kinds: BOTH_KINDS, input: z.object({ ...chat, archived: z.boolean() }), output: nothing },
  /** Fails `pin_limit` when three other chats are pinned. */
  "chats.pin": { role: "operator", kinds: BOTH_KINDS, input: z.object({ ...chat, pinned: z.boolean() }), output: nothing },
  "chats.mute": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ ...chat, muted: z.boolean(), seconds: z.number().int().positive().nullable() }),
    output: nothing,
  },
  "chats.typing": {
    role: "operator",
    kinds: BOTH_KINDS,
    fields: { state: { kinds: SESSION_ONLY, partly: true, isUsed: (state) => state !== "typing" } },
    input: z.object({ ...chat, state: z.enum(TYPING_STATES), duration_ms: z.number().int().min(0).max(25_000) }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
