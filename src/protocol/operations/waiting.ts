// Sends scheduled for a later time (docs/use/waiting-sends.md, "Lists and changes").
import * as z from "zod";
import { ChatId, MessageId } from "../ids.ts";
import { StoredMedia } from "../message.ts";
import { BOTH_KINDS, nextCursor, type OperationRow, page } from "./row.ts";

/** `time` means that the send is not due yet. `pace` means that the number's pacing, WhatsApp's rate limit or earlier sends delay it. */
export const WAITS_FOR = ["time", "connection", "pace", "restriction"] as const;

/** Times are in Unix ms. */
export const WaitingRecord = z.object({
  message_id: MessageId,
  chat_id: ChatId,
  to: z.string().nullable(),
  type: z.string(),
  text: z.string().nullable(),
  media: StoredMedia.nullable(),
  reference: z.string().nullable(),
  source: z.enum(["api", "dashboard"]),
  at: z.number().int(),
  until: z.number().int(),
  accepted_at: z.number().int(),
  waits_for: z.enum(WAITS_FOR),
});
export type WaitingRecord = z.infer<typeof WaitingRecord>;

export const WAITING_OPERATIONS = {
  "waiting.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ chat_id: ChatId.nullable(), ...page }),
    output: z.object({ items: z.array(WaitingRecord), next_cursor: nextCursor }),
  },
  /** Absent fields stay unchanged. Fails with `message_not_found`, or with `message_under_way` once the send is dispatched. */
  "waiting.change": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({
      message_id: MessageId,
      at: z.number().int().optional(),
      until: z.number().int().optional(),
      text: z.string().optional(),
    }),
    output: WaitingRecord,
  },
  /** Cancels one send, all sends of a chat, or all sends. */
  "waiting.cancel": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ message_id: MessageId.nullable(), chat_id: ChatId.nullable() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
