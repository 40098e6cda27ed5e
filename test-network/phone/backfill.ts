// Adds past messages to a phone, for devices that are linked later.
import { generateMessageIDV2, proto } from "baileys";
import { chatIdOf, jidOf } from "./addresses.ts";
import { changeChat, chatOf } from "./chats.ts";
import { newRecord } from "./messages/inbox.ts";
import { viewOf } from "./messages/message-view.ts";
import type { PhoneDependencies } from "./dependencies.ts";

export interface PastMessage {
  text: string;
  timestamp: number;
  from_me: boolean;
  from?: string | undefined;
  message_id?: string | undefined;
  read: boolean;
}

export function remember(phone: PhoneDependencies, chat: string, past: readonly PastMessage[]): string[] {
  const chatId = chatIdOf(jidOf(chat), phone.link.directory);
  return phone.commit(() =>
    past.map((message) => {
      const content = { conversation: message.text };
      const view = viewOf(content);
      if (!view) throw new Error("a text without text");
      const id = message.message_id ?? generateMessageIDV2(phone.jid);
      const from = message.from_me ? phone.pn : (message.from ?? chatId.replace(/@.*$/, ""));
      const record = newRecord(
        {
          message_id: id,
          chat_id: chatId,
          from,
          from_me: message.from_me,
          timestamp: message.timestamp,
          push_name: null,
          wire: { chat: jidOf(chatId), author: jidOf(from) },
        },
        { ...view, media: null },
      );
      const read = message.from_me || message.read;
      phone.messages.put({ ...record, read, status: message.from_me ? "read" : null }, proto.Message.encode(content).finish());
      if (!read) changeChat(phone, chatId, { unread_count: chatOf(phone, chatId).unread_count + 1 });
      return id;
    }),
  );
}
