// What is known of people besides what a contact record keeps.
import { z } from "zod";
import { StoredMedia } from "./message.ts";

/** What a business tells of itself; texts are null where it says nothing. */
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

/** A picture copied into our media. `stored_at` in Unix ms: an unchanged picture is not copied again for a while. */
export const StoredPicture = z.object({ media: StoredMedia, stored_at: z.number().int() });
export type StoredPicture = z.infer<typeof StoredPicture>;
