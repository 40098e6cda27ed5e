// Marking chats as read, and typing.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { askNumber, type CloudContext, DONE, type GraphCommands, PRODUCT, report, spelledChat, Success } from "./asking.ts";

export const chatCommands: GraphCommands<"chats.seen" | "chats.typing"> = {
  // The last one stands for all before it.
  "chats.seen": async ({ chat_id }, context) => {
    const [last] = context.stores.messages.lastReceived(chat_id, 1);
    if (last !== undefined) return markRead(context, "chats.seen", chat_id, { message_id: last.ref.message_id });
    reportSeen(context, chat_id);
    return DONE;
  },

  // Graph shows it as a part of reading a message, until the next one is sent or 25 s are over; it knows no other state.
  "chats.typing": async ({ chat_id: asked, state }, context) => {
    if (state !== "typing") return fail("not_supported", { details: { kind: "cloud_api", field: "state" } });
    const chatId = spelledChat(context, asked);
    const [last] = context.stores.messages.lastReceived(chatId, 1);
    if (last === undefined || last.timestamp * 1000 <= context.clock() - DAY_MS) return fail("outside_service_window");
    return markRead(context, "chats.typing", chatId, { message_id: last.ref.message_id, typing_indicator: { type: "text" } });
  },
};

async function markRead(
  context: CloudContext,
  command: "chats.seen" | "chats.typing",
  chatId: ChatId,
  read: object,
): Promise<Outcome<Record<string, never>>> {
  const json = { ...PRODUCT, status: "read", ...read };
  const told = await askNumber(context, { command }, { method: "POST", path: "/messages", json }, Success);
  if (!told.ok) return told;
  reportSeen(context, chatId);
  return DONE;
}

function reportSeen(context: CloudContext, chatId: ChatId): void {
  report(context, { type: "chat.updated", chat_id: chatId, unread_count: 0, marked_unread: false });
}
