import * as z from "zod";
import { ChatId, Lid, LidPair, Phone } from "../ids.ts";
import { BusinessProfile, PictureSize, PrivacyChange, PrivacySettings } from "../people.ts";
import { ContactRecord, CallRecord, PresenceRecord, OwnPresence } from "../records.ts";
import { BOTH_KINDS, SESSION_ONLY, nextCursor, nothing, type OperationRow, page } from "./row.ts";
import { StoredMedia } from "../message.ts";
import { MediaRef } from "../content.ts";

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
  /** A check of more than one number is a batch. The network receives one batch every five seconds, and other batches wait. */
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
  /** Fails with `business_profile_not_found` for accounts that are not a business. */
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

export const CALL_OPERATIONS = {
  "calls.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(CallRecord) }),
  },
  /** `from` is in digits. Fails with `call_ended`, or with `call_not_found` even for another caller's call. */
  "calls.reject": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ call_id: z.string(), from: z.string().nullable() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;

const chat = { chat_id: ChatId };

export const PRESENCE_OPERATIONS = {
  /** The first read subscribes, and can therefore fail like `presence.subscribe`. */
  "presence.get": { role: "viewer", kinds: SESSION_ONLY, input: z.object(chat), output: PresenceRecord },
  /** Fails with `number_not_on_network`, or with `subscription_limit` at 500 subscribed chats. */
  "presence.subscribe": { role: "operator", kinds: SESSION_ONLY, input: z.object(chat), output: nothing },
  "presence.unsubscribe": { role: "operator", kinds: SESSION_ONLY, input: z.object(chat), output: nothing },
  /** The presence is restored after reconnects. Fails with `profile_name_unknown`. */
  "presence.set": { role: "operator", kinds: SESSION_ONLY, input: z.object({ presence: OwnPresence }), output: nothing },
  "presence.own": {
    role: "viewer",
    kinds: SESSION_ONLY,
    input: nothing,
    output: z.object({ presence: OwnPresence, subscriptions: z.array(ChatId) }),
  },
} as const satisfies Record<string, OperationRow>;

export const PICTURE_OPERATIONS = {
  /** Fails with `picture_not_found` if there is none or the network hides it. `expires_at` says when the link stops working (Unix ms). */
  "pictures.get": {
    role: "viewer",
    kinds: SESSION_ONLY,
    asksNetwork: true,
    input: z.object({ chat_id: ChatId, size: PictureSize }),
    output: z.object({ media: StoredMedia, expires_at: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;

export const PROFILE_OPERATIONS = {
  "profile.get": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asksNetwork: true,
    input: nothing,
    output: z.object({
      phone: z.string().nullable(),
      name: z.string().nullable(),
      about: z.string().nullable(),
      picture: StoredMedia.nullable(),
      is_business: z.boolean(),
      business: BusinessProfile.nullable(),
    }),
  },
  "profile.name": { role: "operator", kinds: SESSION_ONLY, input: z.object({ name: z.string() }), output: nothing },
  "profile.about": { role: "operator", kinds: BOTH_KINDS, input: z.object({ about: z.string() }), output: nothing },
  "profile.picture": { role: "operator", kinds: BOTH_KINDS, input: z.object({ picture: MediaRef }), output: nothing },
  "profile.remove_picture": { role: "operator", kinds: SESSION_ONLY, input: nothing, output: nothing },
  "profile.privacy": { role: "viewer", kinds: SESSION_ONLY, asksNetwork: true, input: nothing, output: PrivacySettings },
  "profile.set_privacy": { role: "operator", kinds: SESSION_ONLY, input: PrivacyChange, output: PrivacySettings },
} as const satisfies Record<string, OperationRow>;
