// What a surface can ask of the Connection object (`Call.operation`): one row per operation, neutral in and out. A surface's
// route table names the operation, maps its own request to `input` and renders `output`.
import { z } from "zod";
import { SendContent } from "./content.ts";
import { ChatId, MessageId, Phone } from "./ids.ts";
import { ChatRecord, DeliveryDetail, DeliveryRecord, InstanceRecord, KeyRecord, MessageRecord, WebhookRecord } from "./records.ts";

/**
 * `role`: the least role that may do it. A connection key acts as an operator (interface, Surface B authentication 3: the
 * owner alone manages keys). `resumable`: asking again with the same message id after a crash continues the first try instead
 * of making a second one; without it, an interrupted change answers `send_outcome_unknown` to a repeated idempotency key.
 */
export type OperationRow = { input: z.ZodType; output: z.ZodType; role: Role; resumable?: true };

export type Role = "owner" | "operator" | "viewer";

const nothing = z.object({});
const page = { limit: z.number().int().min(1).max(200), cursor: z.string().max(512).nullable() };
const next = z.string().nullable();

/** A forward names its source; the object finds the bytes that the network needs. */
const RequestedContent = z.discriminatedUnion("kind", [
  ...SendContent.options,
  z.object({ kind: z.literal("forward_of"), chat_id: ChatId, message_id: MessageId }),
]);

export const SendInput = z.object({
  /** Exactly one of the two. */
  to: Phone.nullable(),
  chat_id: ChatId.nullable(),
  content: RequestedContent,
  quoted_message_id: MessageId.nullable(),
  /** Digits. */
  mentions: z.array(z.string()),
  mention_all: z.boolean(),
  reference: z.string().max(128).nullable(),
  typing_ms: z.number().int().min(0).max(25_000),
  /** Chosen by the caller (Surface A); else by the object. */
  message_id: z.string().regex(/^[A-Z0-9]{16,64}$/).nullable(),
  source: z.enum(["api", "dashboard"]),
});

export const SendResult = z.object({
  message_id: MessageId, chat_id: ChatId, to: z.string().nullable(), to_resolved: z.string().nullable(), is_group: z.boolean(),
  type: z.string(), reference: z.string().nullable(), timestamp: z.number().int(),
});

export const MessagesQuery = z.object({
  chat_id: ChatId.nullable(), ...page,
  /** Unix seconds, exclusive. */
  before: z.number().int().nullable(), after: z.number().int().nullable(),
  from_me: z.boolean().nullable(), type: z.string().nullable(), reference: z.string().nullable(), status: z.string().nullable(), q: z.string().nullable(),
});

export const OPERATIONS = {
  "instance.get": { role: "viewer", input: nothing, output: InstanceRecord },
  /** Fails `qr_not_available` unless the status is `scan_qr`. `raw` is the QR's text; surfaces draw it. */
  "instance.qr": { role: "operator", input: nothing, output: z.object({ raw: z.string(), expires_at: z.number().int() }) },
  "instance.pairing_code": { role: "operator", input: z.object({ phone: Phone, code: z.string().nullable() }), output: z.object({ code: z.string(), phone: z.string(), expires_at: z.number().int() }) },
  "instance.connect": { role: "operator", input: z.object({ force_new_pairing: z.boolean() }), output: nothing },
  "instance.disconnect": { role: "operator", input: nothing, output: nothing },
  "instance.restart": { role: "operator", input: nothing, output: nothing },
  "instance.logout": { role: "owner", input: nothing, output: nothing },
  /** Answers after the network's acknowledgement (architecture, decision 3). */
  "messages.send": { role: "operator", resumable: true, input: SendInput, output: SendResult },
  "messages.get": { role: "viewer", input: z.object({ message_id: MessageId, chat_id: ChatId.nullable() }), output: MessageRecord },
  "messages.list": { role: "viewer", input: MessagesQuery, output: z.object({ items: z.array(MessageRecord), next_cursor: next }) },
  "chats.list": {
    role: "viewer",
    input: z.object({ ...page, archived: z.boolean().nullable(), unread: z.boolean().nullable(), kind: z.enum(["direct", "group", "channel"]).nullable(), label_id: z.string().nullable(), q: z.string().nullable() }),
    output: z.object({ items: z.array(ChatRecord), next_cursor: next }),
  },
  "keys.list": { role: "owner", input: nothing, output: z.object({ items: z.array(KeyRecord) }) },
  /** The worker makes the key (it holds the secret of its tag) and stores only the hash here. Fails `key_limit`. */
  "keys.create": { role: "owner", input: z.object({ name: z.string().min(1).max(60), prefix: z.string(), hash: z.string() }), output: KeyRecord },
  "keys.revoke": { role: "owner", input: z.object({ id: z.string() }), output: nothing },
  "webhook.get": { role: "viewer", input: nothing, output: WebhookRecord },
  /** `events` null: all but `presence` on creation, unchanged later. `secret` is set on creation only, shown once. */
  "webhook.put": { role: "owner", input: z.object({ url: z.string(), events: z.array(z.string()).nullable() }), output: WebhookRecord.extend({ secret: z.string().nullable() }) },
  "webhook.delete": { role: "owner", input: nothing, output: nothing },
  "webhook.test": { role: "owner", input: nothing, output: z.object({ http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }) },
  "webhook.rotate": { role: "owner", input: nothing, output: z.object({ secret: z.string() }) },
  "webhook.reactivate": { role: "owner", input: nothing, output: WebhookRecord },
  "webhook.deliveries": { role: "viewer", input: z.object({ limit: z.number().int().min(1).max(100) }), output: z.object({ items: z.array(DeliveryRecord) }) },
  "webhook.delivery": { role: "viewer", input: z.object({ id: z.string() }), output: DeliveryDetail },
  "webhook.resend": { role: "owner", input: z.object({ id: z.string() }), output: nothing },
  /** All failed deliveries since then (Unix ms). */
  "webhook.resend_failed": { role: "owner", input: z.object({ since: z.number().int() }), output: z.object({ count: z.number().int() }) },
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<N extends OperationName> = z.infer<(typeof OPERATIONS)[N]["input"]>;
export type OperationOutput<N extends OperationName> = z.infer<(typeof OPERATIONS)[N]["output"]>;
