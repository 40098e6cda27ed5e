// Chats (catalogue A5, B3).
import { z } from "zod";
import { ChatRecord } from "../records.ts";
import { nextCursor, type OperationRow, page } from "./row.ts";

const ChatsQuery = z.object({
  ...page, archived: z.boolean().nullable(), unread: z.boolean().nullable(), kind: z.enum(["direct", "group", "channel"]).nullable(),
  label_id: z.string().nullable(), q: z.string().nullable(),
});

export const CHAT_OPERATIONS = {
  "chats.list": { role: "viewer", input: ChatsQuery, output: z.object({ items: z.array(ChatRecord), next_cursor: nextCursor }) },
} as const satisfies Record<string, OperationRow>;
