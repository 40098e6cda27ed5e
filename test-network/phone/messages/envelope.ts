// The envelope of a message: chat, author, and the addresses of both on the wire.
import { isLidUser, jidNormalizedUser, toNumber, type WAMessage } from "baileys";
import { chatIdOf, personOf, type Directory } from "../addresses.ts";
import type { MessageRecord } from "../store/messages.ts";

export interface Envelope {
  message_id: string;
  chat_id: string;
  /** Digits of the author. */
  from: string;
  from_me: boolean;
  /** Unix seconds. */
  timestamp: number;
  push_name: string | null;
  /** Jids without device part, in the addressing of the stanza. */
  wire: { chat: string; author: string };
}

/** What has become of a message on the phone. */
export type Filed = { kind: "message"; record: MessageRecord } | { kind: "duplicate" | "change" | "nothing" };

/**
 * Reads the envelope of a decoded message; `author` is the device jid that Baileys' decoder names. The copy of an own message that names a
 * stranger by LID alone opens a chat of its own. `hasChat`: who is no stranger.
 */
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
