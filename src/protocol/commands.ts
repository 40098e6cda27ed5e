// Commands from the Connection object to the bridge: one row for each, one file for each family in `commands/`.
import { z } from "zod";
import { CALL_COMMANDS } from "./commands/calls.ts";
import { CHAT_COMMANDS } from "./commands/chats.ts";
import { CHANNEL_COMMANDS } from "./commands/channels.ts";
import { CONTACT_COMMANDS } from "./commands/contacts.ts";
import { GROUP_COMMANDS } from "./commands/groups.ts";
import { MESSAGE_COMMANDS } from "./commands/messages.ts";
import { LABEL_COMMANDS } from "./commands/labels.ts";
import { PICTURE_COMMANDS } from "./commands/pictures.ts";
import { ACCOUNT_COMMANDS, PROFILE_COMMANDS } from "./commands/profile.ts";
import { PRESENCE_COMMANDS } from "./commands/presence.ts";
import { type CommandRow, nothing } from "./commands/row.ts";
import { SendRequest } from "./content.ts";
import { MessageId, Phone } from "./ids.ts";
import { PasskeyAssertion } from "./bridge/passkey.ts";

export type { CommandRow };

export const COMMANDS = {
  /** Answered at once; the outcome follows as the event `send.settled`. */
  send: { effect: "send", input: SendRequest, output: nothing },
  /** Requests the outcome of these sends. Each follows as `send.settled`, with kind `unknown` when this bridge has no record of it. */
  recall: { effect: "read", input: z.object({ message_ids: z.array(MessageId) }), output: nothing },
  "session.pairing_code": {
    effect: "change",
    input: z.object({
      phone: Phone,
      code: z
        .string()
        .regex(/^[A-Z1-9]{8}$/)
        .nullable(),
    }),
    output: z.object({ code: z.string(), expires_at: z.number().int() }),
  },
  "session.passkey": { effect: "change", input: z.object({ assertion: PasskeyAssertion }), output: nothing },
  ...GROUP_COMMANDS,
  ...MESSAGE_COMMANDS,
  ...CONTACT_COMMANDS,
  ...PICTURE_COMMANDS,
  ...PROFILE_COMMANDS,
  ...LABEL_COMMANDS,
  ...CHANNEL_COMMANDS,
  ...CHAT_COMMANDS,
  ...PRESENCE_COMMANDS,
  ...CALL_COMMANDS,
  ...ACCOUNT_COMMANDS,
} as const satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof COMMANDS;
export type CommandInput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["input"]>;
export type CommandOutput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["output"]>;
export type NetworkCommand = Exclude<CommandName, "send" | "recall" | "session.pairing_code" | "session.passkey">;

export function effectOf(name: CommandName): CommandRow["effect"] {
  return COMMANDS[name].effect;
}
