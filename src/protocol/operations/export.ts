import * as z from "zod";
import { GroupRecord } from "../groups.ts";
import {
  CallRecord,
  ChannelRecord,
  ChatRecord,
  ContactRecord,
  InstanceRecord,
  KeyRecord,
  LabelRecord,
  MessageRecord,
  WebhookRecord,
} from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import type { OperationRow } from "./row.ts";

/** The instance comes first, with its keys and webhook; messages come last, in the order in which they arrived. */
export const ExportItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("instance"),
    record: z.object({ instance: InstanceRecord, keys: z.array(KeyRecord), webhook: WebhookRecord.nullable() }),
  }),
  z.object({ kind: z.literal("label"), record: LabelRecord }),
  z.object({ kind: z.literal("contact"), record: ContactRecord }),
  z.object({ kind: z.literal("group"), record: GroupRecord }),
  z.object({ kind: z.literal("channel"), record: ChannelRecord }),
  z.object({ kind: z.literal("chat"), record: ChatRecord }),
  z.object({ kind: z.literal("call"), record: CallRecord }),
  z.object({ kind: z.literal("message"), record: MessageRecord }),
]);
export type ExportItem = z.infer<typeof ExportItem>;

export const EXPORT_OPERATIONS = {
  /** Everything stored before the first page appears exactly once. Even a short page may be followed by another one. */
  "instance.export": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ cursor: z.string().nullable(), limit: z.number().int().min(1).max(500) }),
    output: z.object({ items: z.array(ExportItem), next_cursor: z.string().nullable() }),
  },
} as const satisfies Record<string, OperationRow>;
