import type { PhoneDependencies } from "./dependencies.ts";
import type { ChatDocument, ChatView } from "./views.ts";

const PLAIN: Omit<ChatDocument, "chat_id"> = {
  archived: false,
  pinned: false,
  muted_until: null,
  marked_unread: false,
  unread_count: 0,
  labels: [],
  cleared_at: null,
  deleted_at: null,
  disappearing_seconds: 0,
};

export function chatOf(phone: PhoneDependencies, chatId: string): ChatDocument {
  return { ...PLAIN, chat_id: chatId, ...phone.documents.get("chat", chatId) };
}

export function changeChat(phone: PhoneDependencies, chatId: string, change: Partial<ChatDocument>): void {
  phone.documents.put("chat", chatId, { ...chatOf(phone, chatId), ...change });
}

export function listChats(phone: PhoneDependencies): ChatView[] {
  const withMessages = phone.messages.chatIds();
  const others = phone.documents
    .list("chat")
    .map(({ chat_id }) => chat_id)
    .filter((id) => !withMessages.includes(id));
  return [...withMessages, ...others].map((chatId) => viewChat(phone, chatId));
}

export function viewChat(phone: PhoneDependencies, chatId: string): ChatView {
  const last = phone.messages.newest(chatId)?.record;
  const person = chatId.replace(/@.*$/, "");
  const saved = phone.documents.get("contact", person);
  return {
    ...chatOf(phone, chatId),
    name: saved?.full_name ?? null,
    title: saved?.full_name ?? calledBy(phone, chatId) ?? saved?.push_name ?? person,
    picture: (phone.link.group(chatId) ?? phone.link.account(person))?.picture?.id ?? null,
    last_message: last
      ? { message_id: last.message_id, from_me: last.from_me, type: last.type, text: last.text, timestamp: last.timestamp }
      : null,
  };
}

function calledBy(phone: PhoneDependencies, chatId: string): string | undefined {
  if (chatId.endsWith("@g.us")) return phone.link.group(chatId)?.subject;
  if (chatId.endsWith("@newsletter")) return phone.link.channels().find(({ id }) => id === chatId)?.name;
  return phone.link.account(chatId.replace(/@.*$/, ""))?.name;
}

/** Marks messages up to a time (Unix seconds) as read, here or on a linked device. */
export function markChatRead(phone: PhoneDependencies, chatId: string, upTo = Number.MAX_SAFE_INTEGER): void {
  const unread = phone.messages.list(chatId).filter(({ record }) => !record.from_me && !record.read);
  const seen = unread.filter(({ record }) => record.timestamp <= upTo);
  markRead(
    phone,
    chatId,
    seen.map(({ record }) => record.message_id),
  );
  changeChat(phone, chatId, { unread_count: unread.length - seen.length, marked_unread: false });
}

/** Marks the messages as read and reduces the unread count by those that were unread. */
export function markRead(phone: PhoneDependencies, chatId: string, messageIds: readonly string[], change: { played?: boolean } = {}): void {
  let newlyRead = 0;
  for (const id of messageIds) {
    phone.messages.change(chatId, id, ({ from_me, read }) => {
      if (!from_me && !read) newlyRead += 1;
      return { read: true, ...change };
    });
  }
  if (newlyRead > 0) changeChat(phone, chatId, { unread_count: Math.max(0, chatOf(phone, chatId).unread_count - newlyRead) });
}
