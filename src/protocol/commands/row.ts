// What every row of the command table declares.
import { z } from "zod";

/**
 * `read` may be retried freely. `change` changes something on the network and is idempotent. `create` creates something new each time:
 * without an answer the outcome is unknown. `send` sends a message: its outcome is the event `send.settled`, its output is empty.
 */
export type CommandRow = { effect: "read" | "change" | "create" | "send"; input: z.ZodType; output: z.ZodType };

export const nothing = z.object({});
