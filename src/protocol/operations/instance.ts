import * as z from "zod";
import { AssistantPolicy } from "../assistant.ts";
import { ChatId, Phone } from "../ids.ts";
import { PasskeyAssertion, PasskeyOptions } from "../passkey.ts";
import { NumberHealth } from "../health.ts";
import {
  ActivityHour,
  HistorySyncRecord,
  InstanceRecord,
  KeyRecord,
  CallRecord,
  ChannelRecord,
  ChatRecord,
  ContactRecord,
  LabelRecord,
  MessageRecord,
  WebhookRecord,
} from "../records.ts";
import { BOTH_KINDS, isSet, ConnectionKind, SESSION_ONLY, nothing, type OperationRow } from "./row.ts";
import { INSTANCE_STATUSES } from "../connection.ts";
import { GroupRecord } from "../groups.ts";

export const INSTANCE_OPERATIONS = {
  "instance.get": { role: "viewer", kinds: BOTH_KINDS, input: nothing, output: InstanceRecord },
  /** Fails with `qr_not_available` unless the status is `scan_qr`. `raw` is the QR code's text. */
  "instance.qr": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: nothing,
    output: z.object({ raw: z.string(), expires_at: z.number().int() }),
  },
  "instance.pairing_code": {
    role: "operator",
    kinds: SESSION_ONLY,
    byLink: "working",
    input: z.object({ phone: Phone, code: z.string().nullable() }),
    output: z.object({ code: z.string(), phone: z.string(), expires_at: z.number().int() }),
  },
  /** The passkey request for the browser. Fails with `passkey_not_wanted` unless the status reason is `passkey_wanted`. */
  "instance.passkey": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: nothing,
    output: z.object({ options: PasskeyOptions, expires_at: z.number().int() }),
  },
  "instance.passkey_assertion": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ assertion: PasskeyAssertion }),
    output: nothing,
  },
  "instance.connect": {
    role: "operator",
    kinds: BOTH_KINDS,
    fields: { force_new_pairing: { kinds: SESSION_ONLY, isUsed: isSet } },
    // Owners only, because it unlinks the phone, just as logging out does.
    fieldRoles: { force_new_pairing: "owner" },
    needsSubscription: true,
    byLink: "working",
    input: z.object({ force_new_pairing: z.boolean() }),
    output: nothing,
  },
  "instance.disconnect": { role: "operator", kinds: BOTH_KINDS, input: nothing, output: nothing },
  "instance.restart": { role: "operator", kinds: BOTH_KINDS, needsSubscription: true, input: nothing, output: nothing },
  "instance.health": { role: "viewer", kinds: BOTH_KINDS, input: nothing, output: NumberHealth },
  "instance.capabilities": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: nothing,
    output: z.object({ kind: ConnectionKind, is_business: z.boolean().nullable() }),
  },
  "instance.activity": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ hours: z.number().int().min(1).max(168) }),
    output: z.object({ hours: z.array(ActivityHour) }),
  },
  "instance.history": { role: "viewer", kinds: SESSION_ONLY, input: nothing, output: HistorySyncRecord },
  /** The messages arrive when the phone sends them. Fails with `chat_not_found`. */
  "instance.sync_history": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ chat_id: ChatId.nullable(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  "instance.logout": { role: "owner", kinds: SESSION_ONLY, input: nothing, output: nothing },
} as const satisfies Record<string, OperationRow>;

const keyLimits = {
  scopes: z.array(z.string()).nullish(),
  allowed_ips: z.array(z.string()).nullish(),
  assistant: AssistantPolicy.nullish(),
};

export const KEY_OPERATIONS = {
  "keys.list": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: z.object({ items: z.array(KeyRecord) }) },
  /** The worker creates the key, because it has the secret for the tag. The object stores only the hash. Fails with `key_limit`. */
  "keys.create": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ name: z.string().min(1).max(60), prefix: z.string(), hash: z.string(), ...keyLimits }),
    output: KeyRecord,
  },
  /** Absent fields stay unchanged. Fails with `key_not_found`. */
  "keys.change": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string(), name: z.string().min(1).max(60).optional(), ...keyLimits }),
    output: KeyRecord,
  },
  "keys.revoke": { role: "owner", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
} as const satisfies Record<string, OperationRow>;

// Pairing links let anyone who holds the phone pair it without an account (docs/operate/security.md, "Pairing links").

/** Why a link stopped working. `used` means that the number was connected. */
export const PAIRING_LINK_ENDS = ["used", "revoked", "expired"] as const;

/** `created_by` is the id of a user. Times are in Unix ms. */
const PairingLink = z.object({
  id: z.string(),
  label: z.string(),
  created_by: z.string(),
  created_at: z.number().int(),
  expires_at: z.number().int(),
  opened_at: z.number().int().nullable(),
  ended: z.enum(PAIRING_LINK_ENDS).nullable(),
});
export type PairingLink = z.infer<typeof PairingLink>;

export const PAIRING_OPERATIONS = {
  "pairing.list": { role: "operator", kinds: SESSION_ONLY, input: nothing, output: z.object({ items: z.array(PairingLink) }) },
  /** The worker creates the token. The object stores only its hash. Fails with `already_connected` or `pairing_link_limit`. */
  "pairing.create": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ id: z.string(), label: z.string(), hash: z.string(), created_by: z.string(), lifetime_ms: z.number().int() }),
    output: PairingLink,
  },
  "pairing.revoke": { role: "operator", kinds: SESSION_ONLY, input: z.object({ id: z.string() }), output: PairingLink },
  /** Revokes all working links of a user who may no longer pair the number. */
  "pairing.revoke_of": { role: "owner", kinds: SESSION_ONLY, input: z.object({ created_by: z.string() }), output: nothing },
  /** Revokes the link that the caller holds, because its creator may no longer pair the number. */
  "pairing.end": { role: "viewer", kinds: SESSION_ONLY, byLink: "working", input: nothing, output: nothing },
  /** Describes the link to its holder, even after it has ended. `connection_id` is only for the worker. */
  "pairing.show": {
    role: "viewer",
    kinds: SESSION_ONLY,
    byLink: "always",
    input: nothing,
    output: z.object({ link: PairingLink, connection_id: z.number().int(), status: z.enum(INSTANCE_STATUSES), status_reason: z.string() }),
  },
} as const satisfies Record<string, OperationRow>;

/** The instance comes first, with its keys and webhook. Messages come last, in the order in which they arrived. */
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
  /** Data that was stored before the first page was read appears exactly once. A short page may still be followed by another one. */
  "instance.export": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ cursor: z.string().nullable(), limit: z.number().int().min(1).max(500) }),
    output: z.object({ items: z.array(ExportItem), next_cursor: z.string().nullable() }),
  },
} as const satisfies Record<string, OperationRow>;
