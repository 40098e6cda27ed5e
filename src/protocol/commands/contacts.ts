import { z } from "zod";
import { ChatId, Lid, LidPair, Person, Phone } from "../ids.ts";
import { BusinessProfile } from "../people.ts";
import { type CommandRow, nothing } from "./row.ts";

const contact = { contact_id: ChatId };

export const CONTACT_COMMANDS = {
  /** In request order. `found` is the number as the network spells it, null without an account. */
  "contacts.check": {
    effect: "read",
    input: z.object({ phones: z.array(Phone).min(1).max(50) }),
    output: z.object({ items: z.array(z.object({ phone: Phone, found: Phone.nullable() })) }),
  },
  /**
   * Writes to the owner's address book. `contact_id` in the result is the number as the network spells it. Fails `number_not_on_network`.
   */
  "contacts.save": {
    effect: "change",
    input: z.object({ ...contact, full_name: z.string(), first_name: z.string().nullable() }),
    output: z.object(contact),
  },
  "contacts.remove": { effect: "change", input: z.object(contact), output: nothing },
  "contacts.blocked": { effect: "read", input: nothing, output: z.object({ persons: z.array(Person) }) },
  "contacts.block": { effect: "change", input: z.object({ ...contact, blocked: z.boolean() }), output: nothing },
  /** `about` is null when empty or hidden. `set_at` in Unix seconds. Fails `contact_not_found`. */
  "contacts.about": {
    effect: "read",
    input: z.object(contact),
    output: z.object({ about: z.string().nullable(), set_at: z.number().int().nullable() }),
  },
  "contacts.business_profile": { effect: "read", input: z.object(contact), output: z.object({ business: BusinessProfile.nullable() }) },
  /** Knows only numbers that were seen before, since the network cannot be asked. Fails `contact_not_found`. */
  "contacts.phone": { effect: "read", input: z.object({ lid: Lid }), output: LidPair },
  "contacts.lid": { effect: "read", input: z.object({ phone: Phone }), output: LidPair },
} as const satisfies Record<string, CommandRow>;
