// Files that people upload in the dashboard before they send the message.
import { z } from "zod";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const UPLOAD_OPERATIONS = {
  /** Called before the file of this token is stored, and again if its final size differs or it was not stored. Fails `upload_limit`. */
  "uploads.claim": {
    role: "operator",
    kinds: BOTH_KINDS,
    needsSubscription: true,
    input: z.object({ token: z.string(), bytes: z.number().int().min(0) }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
