// Pictures of people, groups and channels, copied from the network into R2.
import { z } from "zod";
import { ChatId } from "../ids.ts";
import { StoredPicture, PictureSize } from "../people.ts";
import type { CommandRow } from "./row.ts";

export const PICTURE_COMMANDS = {
  /** Copies the picture of a person, group or channel to R2. Fails `picture_not_found` when there is none or it is hidden from us. */
  "pictures.get": { effect: "read", input: z.object({ chat_id: ChatId, size: PictureSize }), output: StoredPicture },
} as const satisfies Record<string, CommandRow>;
