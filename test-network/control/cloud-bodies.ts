import * as z from "zod";
import { Phone } from "@gateway/protocol/ids.ts";
import { FIELDS } from "../cloud/cloud-network.ts";
import { CLOUD_FAULT_KINDS } from "../cloud/model.ts";

const Digits = z.string().regex(/^\d{5,20}$/);
const Name = z.string().min(1).max(100);

export const NewNumberBody = z.object({
  phone: Phone,
  name: Name,
  waba_id: Digits.optional(),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .optional(),
  registered: z.boolean().optional(),
});

export const NumberBody = z.object({
  name: Name.optional(),
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]).optional(),
  health: z.enum(["AVAILABLE", "LIMITED", "BLOCKED"]).optional(),
  registered: z.boolean().optional(),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .nullable()
    .optional(),
  username_only: z.array(Phone).max(1_000).optional(),
  /** Maps requested numbers to their spelling on the network; null removes an entry. */
  spelling: z.record(Phone, Phone.nullable()).optional(),
  coexistence: z.boolean().optional(),
  groups: z.boolean().optional(),
  fields: z.array(z.enum(FIELDS)).optional(),
});

export const TokenBody = z.object({ expires_in_s: z.number().int().min(1).nullable().default(null) });

export const TemplateBody = z.object({
  waba_id: Digits,
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().min(2).max(16),
  body: z.string().min(1).max(1_024),
  status: z.enum(["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]).default("APPROVED"),
  category: z.enum(["UTILITY", "MARKETING", "AUTHENTICATION"]).default("UTILITY"),
  buttons: z.array(z.string().min(1).max(25)).max(10).default([]),
});

export const ClockBody = z.object({ offset_s: z.number().int() });

export const CloudFaultBody = z.object({
  phone_number_id: Digits,
  kind: z.enum(CLOUD_FAULT_KINDS),
  times: z.number().int().min(1).max(10_000).optional(),
  code: z.number().int().min(0).optional(),
  subcode: z.number().int().min(0).optional(),
  http: z.number().int().min(200).max(599).optional(),
  ms: z.number().int().min(0).max(600_000).optional(),
  match: z.string().max(256).optional(),
  copies: z.number().int().min(1).max(100).optional(),
});

export const WebhookBody = z
  .object({
    phone_number_id: Digits,
    field: z.string().max(64).default("messages"),
    value: z.record(z.string(), z.unknown()).optional(),
    raw: z.string().max(8_000_000).optional(),
    sign: z.enum(["right", "wrong", "none", "escaped"]).default("right"),
  })
  .refine(({ value, raw }) => (value === undefined) !== (raw === undefined), "exactly one of value and raw");

export const SystemBody = z.object({
  phone_number_id: Digits,
  phone: Phone,
  type: z.enum(["user_changed_number", "user_changed_user_id", "customer_identity_changed"]),
  new_phone: Phone.optional(),
});
