// Files that people upload in the dashboard, for messages that they have not sent yet.
import { z } from "zod";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const UPLOAD_OPERATIONS = {
  /** Before the file of this token is stored; afterwards again when it has another size, or none. Fails `upload_limit`. */
  "uploads.claim": {
    role: "operator",
    kinds: BOTH_KINDS,
    needsSubscription: true,
    input: z.object({ token: z.string(), bytes: z.number().int().min(0) }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
