// Facts about people that are not part of a contact record.
import { z } from "zod";
import { StoredMedia } from "./message.ts";

/** The public profile of a business; null where it gives nothing. */
export const BusinessProfile = z.object({
  description: z.string().nullable(),
  email: z.string().nullable(),
  websites: z.array(z.string()),
  address: z.string().nullable(),
  category: z.string().nullable(),
});
export type BusinessProfile = z.infer<typeof BusinessProfile>;

export const PictureSize = z.enum(["preview", "full"]);
export type PictureSize = z.infer<typeof PictureSize>;

/** A picture copied into R2. `stored_at` in Unix ms: an unchanged picture is not copied again for a while. */
export const StoredPicture = z.object({ media: StoredMedia, stored_at: z.number().int() });
export type StoredPicture = z.infer<typeof StoredPicture>;
