// Look-ups of people, and the owner's address book.
import { z } from "zod";
import { ChatId, Lid, LidPair, Person, Phone } from "../ids.ts";
import { BusinessProfile } from "../people.ts";
import { type CommandRow, nothing } from "./row.ts";

const contact = { contact_id: ChatId };

export const CONTACT_COMMANDS = {
  /** Looks up numbers. In the order of the request; `found` is the number in the network's spelling, null when it has no account. */
  "contacts.check": {
    effect: "read",
    input: z.object({ phones: z.array(Phone).min(1).max(50) }),
    output: z.object({ items: z.array(z.object({ phone: Phone, found: Phone.nullable() })) }),
  },
  /** Saves a contact in the owner's address book. Fails `number_not_on_network`. `contact_id` is the number in the network's spelling. */
  "contacts.save": {
    effect: "change",
    input: z.object({ ...contact, full_name: z.string(), first_name: z.string().nullable() }),
    output: z.object(contact),
  },
  /** Deletes a contact from the owner's address book. */
  "contacts.remove": { effect: "change", input: z.object(contact), output: nothing },
  /** Everybody whom the account has blocked. */
  "contacts.blocked": { effect: "read", input: nothing, output: z.object({ persons: z.array(Person) }) },
  /** Blocks or unblocks a person. Fails `number_not_on_network`. */
  "contacts.block": { effect: "change", input: z.object({ ...contact, blocked: z.boolean() }), output: nothing },
  /** Reads a person's "about" text; null when it is empty or hidden; `set_at` in Unix seconds. Fails `contact_not_found`. */
  "contacts.about": {
    effect: "read",
    input: z.object(contact),
    output: z.object({ about: z.string().nullable(), set_at: z.number().int().nullable() }),
  },
  /** Reads a business profile; null for accounts that are no business. Fails `contact_not_found`. */
  "contacts.business_profile": { effect: "read", input: z.object(contact), output: z.object({ business: BusinessProfile.nullable() }) },
  /** The phone number behind a LID, as far as it was ever seen: the network cannot be asked. Fails `contact_not_found`. */
  "contacts.phone": { effect: "read", input: z.object({ lid: Lid }), output: LidPair },
  /** The LID of a phone number. Fails `contact_not_found`. */
  "contacts.lid": { effect: "read", input: z.object({ phone: Phone }), output: LidPair },
} as const satisfies Record<string, CommandRow>;
