// The same fact has the same key for ever, whoever reports it and however often (src/protocol/events.ts, `KeyedEvent`).
// Facts that may come true again (a state that is set, a presence, how a send ended) have none.
import type { ChatId, Person } from "../../../../src/protocol/ids.ts";
import type { DeliveryStatus } from "../../../../src/protocol/message.ts";

/** The contract's bound. A longer name would be refused, so such a fact goes without. */
const MAX_KEY_LENGTH = 300;

const key = (...parts: string[]): string | null => {
  const name = parts.join(":");
  return name.length <= MAX_KEY_LENGTH ? name : null;
};

const who = (person: Person | null): string => person?.phone ?? person?.lid ?? "";

export const DEDUPE = {
  message: (chat: ChatId, fromMe: boolean, id: string) => key("message", chat, fromMe ? "out" : "in", id),
  /** The stand-in for a message that could not be read, which must not keep the message itself out. */
  placeholder: (chat: ChatId, fromMe: boolean, id: string) => key("placeholder", chat, fromMe ? "out" : "in", id),
  media: (chat: ChatId, id: string) => key("media", chat, id),
  status: (id: string, status: DeliveryStatus, participant: Person | null) => key("status", id, status, who(participant)),
  /** Reactions, edits, deletions and votes are messages too: `id` is their own. */
  change: (kind: "reaction" | "edit" | "delete" | "vote" | "disappearing", chat: ChatId, id: string) => key(kind, chat, id),
  lid: (lid: string, phone: string) => key("lid", lid, phone),
  groupNotification: (kind: string, group: ChatId, noticeId: string) => key("group", kind, group, noticeId),
  call: (id: string, status: string) => key("call", id, status),
} as const;
