import * as z from "zod";
import { StoredMedia } from "./message.ts";

export const BusinessProfile = z.object({
  description: z.string().nullable(),
  email: z.string().nullable(),
  websites: z.array(z.string()),
  address: z.string().nullable(),
  category: z.string().nullable(),
});
export type BusinessProfile = z.infer<typeof BusinessProfile>;

/** Audiences of privacy settings. `contact_blacklist` means all contacts except those excluded on the phone. */
const AUDIENCES = ["all", "contacts", "contact_blacklist", "none"] as const;

const privacy = {
  last_seen: z.enum(AUDIENCES),
  online: z.enum(["all", "match_last_seen"]),
  picture: z.enum(AUDIENCES),
  about: z.enum(AUDIENCES),
  read_receipts: z.enum(["all", "none"]),
  groups_add: z.enum(["all", "contacts", "contact_blacklist"]),
  calls: z.enum(["all", "known"]),
  messages: z.enum(["all", "contacts"]),
};

/** Uses the network's values. Null if the network sent none or an unknown one. */
export const PrivacySettings = z.object({
  last_seen: privacy.last_seen.nullable(),
  online: privacy.online.nullable(),
  picture: privacy.picture.nullable(),
  about: privacy.about.nullable(),
  read_receipts: privacy.read_receipts.nullable(),
  groups_add: privacy.groups_add.nullable(),
  calls: privacy.calls.nullable(),
  messages: privacy.messages.nullable(),
});
export type PrivacySettings = z.infer<typeof PrivacySettings>;

export const PrivacyChange = z.object(privacy).partial();
export type PrivacyChange = z.infer<typeof PrivacyChange>;

export const PictureSize = z.enum(["preview", "full"]);
export type PictureSize = z.infer<typeof PictureSize>;

/** A picture in R2. `stored_at` (Unix ms) shows whether an unchanged picture has to be copied again. */
export const StoredPicture = z.object({ media: StoredMedia, stored_at: z.number().int() });
export type StoredPicture = z.infer<typeof StoredPicture>;
