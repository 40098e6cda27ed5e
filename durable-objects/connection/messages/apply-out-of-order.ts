// Applies changes that arrived before their message, once it is stored. Their events were already emitted.
import { chatIdOf, chatKind, Person } from "@gateway/protocol/ids.ts";
import * as z from "zod";
import { markAccepted, type MessageProgress, applyReport, type StatusReport, UNREPORTED } from "@gateway/domain/messages/message-status.ts";
import { ReportedStatus, type NetworkMessage, StoredMedia } from "@gateway/protocol/message.ts";
import type { Target } from "./messages.ts";
import type { Stores } from "../store/stores.ts";

const Reports = z.array(z.object({ status: ReportedStatus, at: z.number() }));
const Edit = z.object({ text: z.string(), at: z.number(), from_me: z.boolean(), sender: Person.nullable() });
const Deletion = z.object({ at: z.number(), from_me: z.boolean(), by: Person.nullable().default(null) });
const Star = z.object({ starred: z.boolean() });

export type OutOfOrderEdit = z.infer<typeof Edit>;
export type OutOfOrderDeletion = z.infer<typeof Deletion>;

export function storeOutOfOrderStatus(
  stores: Stores,
  chatId: string,
  messageId: string,
  update: StatusReport,
  now: number,
): { moved: boolean } {
  const stored = stores.outOfOrder.find(chatId, messageId, "status");
  const reports = stored === null ? [] : Reports.parse(JSON.parse(stored));
  const before = progressAfter(UNREPORTED, reports);
  const { moved, progress } = applyReport(before, update);
  if (progress !== before) stores.outOfOrder.add(chatId, messageId, "status", [...reports, update], now);
  return { moved };
}

/** Keeps the newest edit, whichever arrives last. Returns false for an older one. */
export function storeOutOfOrderEdit(stores: Stores, chatId: string, messageId: string, edit: OutOfOrderEdit, now: number): boolean {
  const stored = stores.outOfOrder.find(chatId, messageId, "edit");
  if (stored !== null && Edit.parse(JSON.parse(stored)).at > edit.at) return false;
  stores.outOfOrder.add(chatId, messageId, "edit", edit, now);
  return true;
}

export function applyOutOfOrder(message: NetworkMessage, no: number, stores: Stores): void {
  const { chat_id: chatId, message_id: messageId } = message;
  for (const { kind, value } of stores.outOfOrder.of(chatId, messageId)) {
    const stored: unknown = JSON.parse(value);
    switch (kind) {
      case "status":
        if (message.from_me) stores.ownMessages.setProgress(no, progressAfter(markAccepted(UNREPORTED), Reports.parse(stored)), null);
        break;
      case "edit": {
        const { text, at, ...author } = Edit.parse(stored);
        stores.messages.edit({ chat_id: chatId, message_id: messageId, ...author }, text, at);
        break;
      }
      case "media":
        stores.messages.setMedia(chatId, messageId, StoredMedia.parse(stored));
        break;
      case "star":
        stores.messages.star(chatId, messageId, Star.parse(stored).starred);
        break;
      default: {
        const { at, from_me, by } = Deletion.parse(stored);
        const target = { chat_id: chatId, message_id: messageId, from_me };
        if (from_me === message.from_me && mayDelete(by, message.sender, target, stores)) stores.messages.erase(target, at);
      }
    }
  }
  stores.outOfOrder.removeAll(chatId, messageId);
}

/** Only the author or a group admin may delete. The network forwards even deletions that phones would reject. */
export function mayDelete(
  by: Person | null,
  author: Person | null,
  { chat_id, from_me }: Pick<Target, "chat_id" | "from_me">,
  { groups, lids }: Stores,
): boolean {
  const kind = chatKind(chat_id);
  // The network itself checks who may delete a channel's posts, and does not report the person.
  if (kind === "channel") return true;
  // In a one-to-one chat, only the Cloud API omits the person, and only if the number's own phone deleted the message.
  if (by === null) return kind === "direct";
  if (groups.isMe(by) || (!from_me && lids.isSame(by, author))) return true;
  const role = kind === "group" ? groups.roleOf(chat_id, lids.chatIds(chatIdOf(by))) : null;
  return role === "admin" || role === "superadmin";
}

function progressAfter(start: MessageProgress, reports: readonly StatusReport[]): MessageProgress {
  return reports.reduce((progress, update) => applyReport(progress, update).progress, start);
}
