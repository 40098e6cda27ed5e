import * as z from "zod";
import { TYPING_STATES } from "../commands.ts";
import { ChatId, MessageId } from "../ids.ts";
import { ChatRecord, LabelRecord } from "../records.ts";
import { BOTH_KINDS, SESSION_ONLY, nextCursor, nothing, type OperationRow, page } from "./row.ts";

const ChatsQuery = z.object({
  ...page,
  archived: z.boolean().nullable(),
  unread: z.boolean().nullable(),
  kind: z.enum(["direct", "group", "channel"]).nullable(),
  label_id: z.string().nullable(),
  q: z.string().nullable(),
});

const chat = { chat_id: ChatId };

/** All changes except typing fail with `chat_not_found` for a chat that never had a message. */
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
  /** Fails with `pin_limit` if three other chats are pinned. */
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

const labels = z.object({ items: z.array(LabelRecord) });

export const LABEL_OPERATIONS = {
  "labels.list": { role: "viewer", kinds: SESSION_ONLY, input: nothing, output: labels },
  /** Colours are 0-19. Null means the first unused one. Fails with `label_limit`. */
  "labels.create": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ name: z.string(), color: z.number().int().nullable() }),
    output: LabelRecord,
  },
  "labels.change": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ label_id: z.string(), name: z.string().nullable(), color: z.number().int().nullable() }),
    output: LabelRecord,
  },
  "labels.remove": { role: "operator", kinds: SESSION_ONLY, input: z.object({ label_id: z.string() }), output: nothing },
  "labels.chats": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: z.object({ label_id: z.string(), ...page }),
    output: z.object({ items: z.array(ChatRecord), next_cursor: nextCursor }),
  },
  "labels.of_chat": { role: "viewer", kinds: SESSION_ONLY, input: z.object({ chat_id: ChatId }), output: labels },
  "labels.set_chat": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ chat_id: ChatId, label_ids: z.array(z.string()).max(20) }),
    output: labels,
  },
  "labels.mark_chat": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ chat_id: ChatId, label_id: z.string(), labelled: z.boolean() }),
    output: nothing,
  },
  "labels.mark_message": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ chat_id: ChatId, message_id: MessageId, label_id: z.string(), labelled: z.boolean() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
