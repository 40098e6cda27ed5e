import type { z } from "zod";
import type { OperationOutput } from "../../protocol/operations.ts";
import type { SendResult } from "../schemas/send.ts";

/** Sends answer unwrapped (docs/apis.md, "Shapes"). */
export function renderSent(result: OperationOutput<"messages.send">): z.input<typeof SendResult> {
  const { message_id, chat_id, to, to_resolved, is_group, type, reference, timestamp } = result;
  return { message_id, chat_id, to, to_resolved, is_group, type, status: "sent", reference, timestamp };
}
