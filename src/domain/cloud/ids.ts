// Maps Meta's ids of messages, people and groups to ours (docs/internals/cloud.md, "Ids").
import type { ChatId, Person } from "@gateway/protocol/ids.ts";

export type KnownMessage = { text: string | null; type: string };

/** The connection's tables of ids, which are the only side effects in this folder. */
export type CloudIds = {
  readonly me: string | null;
  /** Stores the ids that it learns, and creates a surrogate LID for a `user_id` without a phone. null if `who` names nobody. */
  person(who: { wa_id?: string | undefined; user_id?: string | undefined; username?: string | undefined }): Person | null;
  group(groupId: string): ChatId;
  /** Our id of a message that this number sent; null for all other messages. */
  own(wamid: string): string | null;
  known?(messageId: string, chatId: ChatId): KnownMessage | null;
};

const PREFIX = "m1.";

/** The callback data of a send, which its statuses return. Contains only our id, since every app of the account can read it. */
export function callbackDataOf(messageId: string): string {
  return PREFIX + messageId;
}

/** null when another app wrote the data. Trust the id only if this number knows the send. */
export function messageIdIn(callbackData: string | null | undefined): string | null {
  const id = callbackData?.startsWith(PREFIX) === true ? callbackData.slice(PREFIX.length) : "";
  return id === "" || id.length > 256 ? null : id;
}
