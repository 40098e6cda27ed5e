// Limits on an assistant with a connection key at /mcp (docs/use/mcp.md, "Policy of a key"). The API does not enforce them.
import * as z from "zod";

/** When a person must confirm a send. `new_chats` means in chats where the other person has not written yet. */
const CONFIRMATIONS = ["always", "new_chats", "never"] as const;

const MAX_RECIPIENTS = 50;

/** A phone number in digits, or the id of a group. */
const Recipient = z.string().regex(/^([1-9]\d{6,14}|[\d-]{5,40}@g\.us)$/);

export const AssistantPolicy = z.strictObject({
  confirm: z.enum(CONFIRMATIONS),
  /** `replies` are chats in which the other person wrote within the last 24 hours. */
  recipients: z.union([z.enum(["replies", "any"]), z.array(Recipient).min(1).max(MAX_RECIPIENTS)]),
  /** Whether the `call_operation` tool exists. */
  call_operation: z.boolean(),
});
export type AssistantPolicy = z.infer<typeof AssistantPolicy>;

export const DEFAULT_ASSISTANT_POLICY: AssistantPolicy = { confirm: "always", recipients: "replies", call_operation: false };
