// Limits that the network puts on the account.
import { z } from "zod";
import { NewChatQuota } from "../health.ts";
import { type CommandRow, nothing } from "./row.ts";

export const ACCOUNT_COMMANDS = {
  /**
   * Reads the limits from the network. The restriction is reported as `session.restriction` before this is answered; `new_chat_quota` null:
   * the network gave none.
   */
  "account.limits": { effect: "read", input: nothing, output: z.object({ new_chat_quota: NewChatQuota.nullable() }) },
} as const satisfies Record<string, CommandRow>;
