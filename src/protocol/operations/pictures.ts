import { z } from "zod";
import { ChatId } from "../ids.ts";
import { StoredMedia } from "../message.ts";
import { PictureSize } from "../people.ts";
import { SESSION_ONLY } from "./kinds.ts";
import { type OperationRow } from "./row.ts";

export const PICTURE_OPERATIONS = {
  /** Fails `picture_not_found` when there is none or the network hides it. `expires_at` (Unix ms): the link works until then. */
  "pictures.get": {
    role: "viewer",
    kinds: SESSION_ONLY,
    asksNetwork: true,
    input: z.object({ chat_id: ChatId, size: PictureSize }),
    output: z.object({ media: StoredMedia, expires_at: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
