// What the cloud calls messages, people and groups, and what we call them (docs/use/cloud-api.md, "Ids").
import type { ChatId, Person } from "@gateway/protocol/ids.ts";

/** A message as far as a quote shows it. */
export type KnownMessage = { text: string | null; type: string };

/** The connection's tables of ids. Everything else in this folder is pure. */
export type CloudIds = {
  /** The number itself, digits. */
  readonly me: string | null;
  /** Learns what is given; makes a surrogate LID for a `user_id` whose phone is unknown. Null when nobody is named. */
  person(who: { wa_id?: string | undefined; user_id?: string | undefined; username?: string | undefined }): Person | null;
  /** `<digits>@g.us` of a group; made when it is new. */
  group(groupId: string): ChatId;
  /** Our id of a message that this number sent; null for any other message. */
  own(wamid: string): string | null;
  /** A stored message, for quotes. */
  known?(messageId: string, chatId: ChatId): KnownMessage | null;
};

const PREFIX = "m1.";

/** What a send carries to be recognised in its statuses: our id and nothing else, since every app of the account can read it. */
export function callbackDataOf(messageId: string): string {
  return PREFIX + messageId;
}

/** Our id in what a status brings back; null when another app wrote it. It is believed only of a send that this number knows. */
export function messageIdIn(callbackData: string | null | undefined): string | null {
  const id = callbackData?.startsWith(PREFIX) === true ? callbackData.slice(PREFIX.length) : "";
  return id === "" || id.length > 256 ? null : id;
}
