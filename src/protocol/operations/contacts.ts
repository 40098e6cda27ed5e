import { z } from "zod";
import { ChatId, Lid, LidPair, Phone } from "../ids.ts";
import { BusinessProfile } from "../people.ts";
import { ContactRecord } from "../records.ts";
import { BOTH_KINDS, SESSION_ONLY } from "./kinds.ts";
import { nextCursor, nothing, type OperationRow, page } from "./row.ts";

const contact = { contact_id: ChatId };

export const CONTACT_OPERATIONS = {
  "contacts.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asStored: true,
    input: z.object({ ...page, q: z.string().nullable(), saved: z.boolean().nullable() }),
    output: z.object({ items: z.array(ContactRecord), next_cursor: nextCursor }),
  },
  "contacts.get": { role: "viewer", kinds: BOTH_KINDS, asStored: true, input: z.object(contact), output: ContactRecord },
  /** More than one number is a batch. The network gets one batch per five seconds; others wait. */
  "contacts.check": {
    role: "viewer",
    kinds: SESSION_ONLY,
    asksNetwork: true,
    input: z.object({ phones: z.array(Phone).min(1).max(50) }),
    output: z.object({ items: z.array(z.object({ phone: Phone, found: Phone.nullable() })) }),
  },
  "contacts.save": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ ...contact, full_name: z.string(), first_name: z.string().nullable() }),
    output: ContactRecord,
  },
  "contacts.remove": { role: "operator", kinds: BOTH_KINDS, input: z.object(contact), output: nothing },
  "contacts.blocked": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asksNetwork: true,
    input: nothing,
    output: z.object({ contact_ids: z.array(ChatId) }),
  },
  "contacts.block": { role: "operator", kinds: BOTH_KINDS, input: z.object({ ...contact, blocked: z.boolean() }), output: nothing },
  "contacts.about": {
    role: "viewer",
    kinds: SESSION_ONLY,
    asksNetwork: true,
    input: z.object(contact),
    output: z.object({ about: z.string().nullable(), set_at: z.number().int().nullable() }),
  },
  /** Fails `business_profile_not_found` for accounts that are not a business. */
  "contacts.business_profile": {
    role: "viewer",
    kinds: SESSION_ONLY,
    asksNetwork: true,
    input: z.object(contact),
    output: BusinessProfile,
  },
  "contacts.phone": { role: "viewer", kinds: SESSION_ONLY, asksNetwork: true, input: z.object({ lid: Lid }), output: LidPair },
  "contacts.lid": { role: "viewer", kinds: SESSION_ONLY, asksNetwork: true, input: z.object({ phone: Phone }), output: LidPair },
} as const satisfies Record<string, OperationRow>;
