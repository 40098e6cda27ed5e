// Queries without filters, which tests extend, and a helper that reads all pages.
import type { ChatsQuery } from "#root/durable-objects/connection/chats/chat-queries.ts";
import type { MessagesQuery } from "#root/durable-objects/connection/messages/message-queries.ts";
import type { Page } from "#root/durable-objects/connection/store/pagination.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";

export const ALL_CHATS: ChatsQuery = { limit: 50, cursor: null, archived: null, unread: null, kind: null, label_id: null, q: null };
export const ALL_MESSAGES: MessagesQuery = {
  chat_id: null,
  limit: 50,
  cursor: null,
  before: null,
  after: null,
  from_me: null,
  type: null,
  reference: null,
  status: null,
  q: null,
};

export function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.code);
  return outcome.value;
}

/** Reads all pages by following the cursors. */
export function walk<T>(page: (cursor: string | null) => Outcome<Page<T>>): T[][] {
  const pages: T[][] = [];
  let cursor: string | null = null;
  do {
    const { items, next_cursor: next }: Page<T> = value(page(cursor));
    pages.push(items);
    cursor = next;
  } while (cursor !== null);
  return pages;
}
