import { z } from "zod";
import { ChatId } from "../ids.ts";
import { StoredPicture, PictureSize } from "../people.ts";
import type { CommandRow } from "./row.ts";

export const PICTURE_COMMANDS = {
  /** Copies the picture into R2. Fails `picture_not_found` when there is none or the network hides it. */
  "pictures.get": { effect: "read", input: z.object({ chat_id: ChatId, size: PictureSize }), output: StoredPicture },
} as const satisfies Record<string, CommandRow>;
