// What the Connection object can ask of the bridge: one row per command.
import { z } from "zod";
import { SendRequest } from "./content.ts";
import { MessageId, Phone } from "./ids.ts";

/**
 * `read` may be asked again freely. `change` alters something on the network and is never repeated by itself.
 * `send` puts a message on the wire: its outcome comes back as the event `send.settled`, its output is empty.
 */
export type CommandRow = { effect: "read" | "change" | "send"; input: z.ZodType; output: z.ZodType };

const nothing = z.object({});

export const COMMANDS = {
  /** Put one message on the wire; answered at once, settled by an event. */
  send: { effect: "send", input: SendRequest, output: nothing },
  /** What became of these sends? Each is answered by `send.settled` (kind `unknown` when this bridge never had it). */
  recall: { effect: "read", input: z.object({ message_ids: z.array(MessageId) }), output: nothing },
  /** Ask for a pairing code instead of a QR. `expires_at` is Unix seconds. */
  "session.pairing_code": {
    effect: "change",
    input: z.object({ phone: Phone, code: z.string().regex(/^[A-Z1-9]{8}$/).nullable() }),
    output: z.object({ code: z.string(), expires_at: z.number().int() }),
  },
} as const satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof COMMANDS;
export type CommandInput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["input"]>;
export type CommandOutput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["output"]>;
