// A connection's ids for tests, and sends to convert to Graph requests.
import type { CloudIds } from "@gateway/domain/cloud/ids.ts";
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";

export const ME = "5511900000001";
export const ANA = "5511987654321";
export const BSUID = "BR.13491208655302741918";

/** In-memory tables: one surrogate per `user_id`, one chat per group, one own message. */
export function idsInMemory(own: Readonly<Record<string, string>> = {}): CloudIds & { asked: Parameters<CloudIds["person"]>[0][] } {
  const lids = new Map<string, string>();
  const phones = new Map<string, string>();
  const groups = new Map<string, string>();
  const asked: Parameters<CloudIds["person"]>[0][] = [];
  return {
    me: ME,
    asked,
    person: (who) => {
      asked.push(who);
      const { wa_id, user_id } = who;
      if (user_id === undefined) return wa_id === undefined ? null : { phone: wa_id, lid: null };
      const lid = lids.get(user_id) ?? String(90_000_000_001 + lids.size);
      lids.set(user_id, lid);
      if (wa_id !== undefined) phones.set(lid, wa_id);
      return { phone: phones.get(lid) ?? null, lid };
    },
    group: (groupId) => {
      const chatId = groups.get(groupId) ?? `${120_363_000_001 + groups.size}@g.us`;
      groups.set(groupId, chatId);
      return chatId;
    },
    own: (wamid) => own[wamid] ?? null,
    known: (messageId) => (messageId === "3EB0OWN" ? { text: "Olá", type: "text" } : null),
  };
}

export function sendOf(content: SendContent, more: Partial<SendRequest> = {}): SendRequest {
  return {
    message_id: "3EB0C431C26A1916E07A",
    chat_id: `${ANA}@c.us`,
    content,
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: null,
    ...more,
  };
}
