import * as z from "zod";
import { ChatId, Phone } from "../ids.ts";
import { PasskeyAssertion, PasskeyOptions } from "../bridge/passkey.ts";
import { NumberHealth } from "../health.ts";
import { ActivityHour, HistorySyncRecord, InstanceRecord, KeyRecord } from "../records.ts";
import { BOTH_KINDS, isSet, Kind, SESSION_ONLY } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

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
  /** The passkey request for the browser. Fails with `passkey_not_wanted` unless the reason is `passkey_wanted`. */
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
    // Owners only, because it unlinks the phone, as logging out does.
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
    output: z.object({ kind: Kind, is_business: z.boolean().nullable() }),
  },
  "instance.activity": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ hours: z.number().int().min(1).max(168) }),
    output: z.object({ hours: z.array(ActivityHour) }),
  },
  "instance.history": { role: "viewer", kinds: SESSION_ONLY, input: nothing, output: HistorySyncRecord },
  /** Messages arrive when the phone sends them. Fails with `chat_not_found`. */
  "instance.sync_history": {
    role: "operator",
    kinds: SESSION_ONLY,
    input: z.object({ chat_id: ChatId.nullable(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  "instance.logout": { role: "owner", kinds: SESSION_ONLY, input: nothing, output: nothing },
} as const satisfies Record<string, OperationRow>;

export const KEY_OPERATIONS = {
  "keys.list": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: z.object({ items: z.array(KeyRecord) }) },
  /** The worker creates the key, since it has the secret for the tag; the object stores only the hash. Fails with `key_limit`. */
  "keys.create": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ name: z.string().min(1).max(60), prefix: z.string(), hash: z.string() }),
    output: KeyRecord,
  },
  "keys.revoke": { role: "owner", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
} as const satisfies Record<string, OperationRow>;
