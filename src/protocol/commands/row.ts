import { z } from "zod";

/**
 * `read` may be retried freely. `change` is idempotent. `create` makes something new each time, so without an answer its outcome is
 * unknown. `send` sends a message: its outcome is the event `send.settled`.
 */
export type CommandRow = { effect: "read" | "change" | "create" | "send"; input: z.ZodType; output: z.ZodType };

export const nothing = z.object({});
