import { isNotSent, type Outgoing } from "../../domain/messages/outgoing.ts";
import type { Message } from "./reads.ts";

/** A message in the conversation. `outgoing` is set if it is shown instead of a stored one. */
export type Shown = Message & { outgoing?: Outgoing };

export function bubbleOf(outgoing: Outgoing, chatId: string): Shown {
  const { message_id, text, quoted, at, state } = outgoing;
  const isSent = state.kind === "accepted" && !state.waits;
  const status = isNotSent(outgoing) ? "failed" : isSent ? "sent" : "pending";
  return { ...PLAIN, message_id, chat_id: chatId, text, quoted, at, status, outgoing };
}

const PLAIN: Omit<Message, "message_id" | "chat_id" | "text" | "quoted" | "at" | "status"> = {
  from_me: true,
  from: null,
  push_name: null,
  type: "text",
  preview: null,
  media: null,
  location: null,
  contacts: null,
  poll: null,
  reactions: [],
  forwarded: false,
  starred: false,
  error: null,
  source: "dashboard",
  edited_at: null,
  deleted_at: null,
};
