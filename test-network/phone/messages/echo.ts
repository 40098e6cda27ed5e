// The demo contact: replies with the received text.
import { generateMessageIDV2 } from "baileys";
import { isSharedChat } from "../addresses.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { sendContent } from "./sending.ts";
import type { MessageRecord } from "../store/messages.ts";

// Marks echoed messages, so that two echoes do not answer each other for ever.
const ECHO_ID = "3EB0EC40";

export async function echo(phone: PhoneDependencies, received: MessageRecord): Promise<void> {
  const { chat_id, from_me, message_id, text, type } = received;
  if (phone.identity.options.reply !== "echo" || from_me || type !== "text" || text === null) return;
  if (isSharedChat(chat_id) || message_id.startsWith(ECHO_ID)) return;
  const messageId = `${ECHO_ID}${generateMessageIDV2(phone.jid).slice(ECHO_ID.length)}`;
  await sendContent(phone, chat_id, { type: "text", text }, { messageId });
}
