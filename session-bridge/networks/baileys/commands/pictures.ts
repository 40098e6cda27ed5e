import { failureOfCommand } from "./failures.ts";
import { resolveRecipient } from "../addressing/recipient.ts";
import { pictureOf } from "../media/profile-pictures.ts";
import type { CommandHandlers } from "./command-handlers.ts";
import { fail } from "@gateway/protocol/failures.ts";

export const pictureCommands: CommandHandlers<"pictures"> = {
  "pictures.get": async (ctx, { chat_id, size }) => {
    const found = await resolveRecipient(ctx, chat_id);
    if (!found.ok) return found.failure.code === "number_not_on_network" ? fail("contact_not_found") : found;
    const { jid, subject } = found.value;
    try {
      return await pictureOf(ctx, jid, size);
    } catch (error) {
      return fail(failureOfCommand(error, subject, "read"));
    }
  },
};
