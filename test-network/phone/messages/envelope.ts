import { isLidUser, jidNormalizedUser, toNumber, type WAMessage } from "baileys";
import { chatIdOf, personOf, type Directory } from "../addresses.ts";
import type { MessageRecord } from "../store/messages.ts";

export type Envelope = {
  message_id: string;
  chat_id: string;
  from: string;
  from_me: boolean;
  timestamp: number;
  push_name: string | null;
  /** JIDs as in the stanza, without the device part. */
  wire: { chat: string; author: string };
};

export type Filed = { kind: "message"; record: MessageRecord } | { kind: "duplicate" | "change" | "nothing" };

/** `author` is a device JID. A copy of an own message to a LID without a phone number starts a separate chat unless `hasChat` is true. */
export function envelopeOf(message: WAMessage, author: string, directory: Directory, hasChat: (chatId: string) => boolean): Envelope {
  const chat = jidNormalizedUser(message.key.remoteJid ?? author);
  const chatId = chatIdOf(chat, directory);
  const unnamed = message.key.fromMe === true && isLidUser(chat) === true && !message.key.remoteJidAlt && !hasChat(chatId);
  return {
    message_id: message.key.id ?? "",
    chat_id: unnamed ? chat : chatId,
    from: personOf(author, directory),
    from_me: message.key.fromMe === true,
    timestamp: toNumber(message.messageTimestamp),
    push_name: message.pushName ?? null,
    wire: { chat, author: jidNormalizedUser(author) },
  };
}
