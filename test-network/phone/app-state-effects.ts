import { toNumber, type proto } from "baileys";
import { chatIdOf, isSharedChat, personOf } from "./addresses.ts";
import { changeChat, chatOf, markChatRead } from "./chats.ts";
import type { PhoneDependencies } from "./dependencies.ts";

type Effect = (phone: PhoneDependencies, action: proto.ISyncActionValue, index: readonly string[]) => void;

export function applyMutation(phone: PhoneDependencies, action: proto.ISyncActionValue | null | undefined, index: readonly string[]): void {
  const effect = EFFECTS[index[0] ?? ""];
  if (effect && action) effect(phone, action, index);
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  archive: (phone, { archiveChatAction }, index) => {
    changeChat(phone, chat(phone, index), { archived: archiveChatAction?.archived === true });
  },
  pin_v1: (phone, { pinAction }, index) => {
    changeChat(phone, chat(phone, index), { pinned: pinAction?.pinned === true });
  },
  mute: (phone, { muteAction }, index) => {
    changeChat(phone, chat(phone, index), { muted_until: muteAction?.muted ? mutedUntil(muteAction.muteEndTimestamp) : null });
  },
  markChatAsRead: (phone, { markChatAsReadAction }, index) => {
    if (markChatAsReadAction?.read) markChatRead(phone, chat(phone, index), endOf(markChatAsReadAction.messageRange));
    else changeChat(phone, chat(phone, index), { marked_unread: true });
  },
  star: (phone, { starAction }, index) => {
    if (isMeant(phone, index)) phone.messages.change(chat(phone, index), index[2] ?? "", () => ({ starred: starAction?.starred === true }));
  },
  clearChat: (phone, { clearChatAction }, index) => {
    const chatId = chat(phone, index);
    phone.messages.removeChat(chatId, endOf(clearChatAction?.messageRange));
    changeChat(phone, chatId, { cleared_at: seconds(), unread_count: 0 });
  },
  deleteChat: (phone, { deleteChatAction }, index) => {
    const chatId = chat(phone, index);
    phone.messages.removeChat(chatId, endOf(deleteChatAction?.messageRange));
    // If messages newer than the deletion's range remain, the chat is kept.
    if (phone.messages.newest(chatId)) return;
    changeChat(phone, chatId, { deleted_at: seconds(), unread_count: 0, archived: false, pinned: false });
  },
  deleteMessageForMe: (phone, _action, index) => {
    if (isMeant(phone, index)) phone.messages.remove(chat(phone, index), index[2] ?? "");
  },
  contact: (phone, { contactAction }, index) => {
    const phoneNumber = personOf(index[1] ?? "", phone.link.directory);
    const known = phone.documents.get("contact", phoneNumber);
    // The action has no name when the contact was removed.
    const fullName = contactAction?.fullName || contactAction?.firstName || null;
    phone.documents.put("contact", phoneNumber, { phone: phoneNumber, push_name: known?.push_name ?? null, full_name: fullName });
  },
  setting_pushName: (phone, { pushNameSetting }) => {
    if (!pushNameSetting?.name) return;
    phone.identity.creds.me.name = pushNameSetting.name;
    phone.saveIdentity();
  },
  label_edit: (phone, { labelEditAction: label }, index) => {
    const labelId = index[1] ?? "";
    phone.documents.put("label", labelId, {
      label_id: labelId,
      name: label?.name ?? "",
      color: label?.color ?? 0,
      deleted: label?.deleted === true,
    });
  },
  label_jid: (phone, { labelAssociationAction }, index) => {
    if (labelledChat(phone, index[2] ?? "") !== index[2]) return;
    const chatId = chat(phone, index, 2);
    changeChat(phone, chatId, { labels: toggled(chatOf(phone, chatId).labels, index[1] ?? "", labelAssociationAction?.labeled === true) });
  },
  label_message: (phone, { labelAssociationAction }, index) => {
    phone.messages.change(chat(phone, index, 2), index[3] ?? "", ({ labels }) => ({
      labels: toggled(labels, index[1] ?? "", labelAssociationAction?.labeled === true),
    }));
  },
};

/** The name under which labels are stored for a chat. */
export function labelledChat(phone: PhoneDependencies, jid: string): string {
  const account = isSharedChat(jid) ? null : phone.link.account(personOf(jid, phone.link.directory));
  return account?.lidOnly === true ? account.lidJid : jid;
}

function chat(phone: PhoneDependencies, index: readonly string[], position = 1): string {
  return chatIdOf(index[position] ?? "", phone.link.directory);
}

/** `[kind, chat, id, own or not, author]`: phones match all five. Only group messages of others include an author. */
function isMeant(phone: PhoneDependencies, index: readonly string[]): boolean {
  const [, jid = "", messageId = "", own, author] = index;
  const record = phone.messages.find(chat(phone, index), messageId)?.record;
  if (!record || record.from_me !== (own === "1")) return false;
  if (record.from_me || !isSharedChat(jid)) return author === "0";
  return author !== undefined && personOf(author, phone.link.directory) === record.from;
}

function toggled(labels: readonly string[], labelId: string, on: boolean): string[] {
  const others = labels.filter((label) => label !== labelId);
  return on ? [...others, labelId] : others;
}

/** Milliseconds on the wire; -1 and 0 mean forever. */
function mutedUntil(end: Parameters<typeof toNumber>[0]): number {
  const at = end ? toNumber(end) : 0;
  return at > 0 ? Math.floor(at / 1000) : -1;
}

/** Unix seconds of the newest message the acting device had seen; the action covers messages up to there. Without a range it covers all. */
function endOf(range: proto.SyncActionValue.ISyncActionMessageRange | null | undefined): number {
  const at = range?.lastMessageTimestamp ? toNumber(range.lastMessageTimestamp) : 0;
  return at > 0 ? at : Number.MAX_SAFE_INTEGER;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
