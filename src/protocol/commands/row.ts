// What every row of the command table says about itself.
import { z } from "zod";

/**
 * `read` may be asked again freely. `change` brings something about on the network and ends the same when asked twice.
 * `create` makes something new each time it is carried out: without an answer nobody knows whether it did. `send` puts a
 * message on the wire: its outcome comes back as the event `send.settled`, its output is empty.
 */
export type CommandRow = { effect: "read" | "change" | "create" | "send"; input: z.ZodType; output: z.ZodType };

export const nothing = z.object({});
