// Labels (docs/use/apis.md, "Groups, contacts, labels, channels"). All fail `business_account_required` for accounts that are not a
// business; changes also fail `label_not_found`.
import { z } from "zod";
import { ChatId, MessageId } from "../ids.ts";
import { ChatRecord, LabelRecord } from "../records.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { nextCursor, nothing, type OperationRow, page } from "./row.ts";

const labels = z.object({ items: z.array(LabelRecord) });

export const LABEL_OPERATIONS = {
  "labels.list": { role: "viewer", kinds: SESSION_ONLY, input: nothing, output: labels },
  /** Colours 0-19; null: the first unused one. Fails `label_limit`. */
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
