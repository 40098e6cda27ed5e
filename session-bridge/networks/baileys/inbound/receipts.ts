import { getBinaryNodeChild, getBinaryNodeChildren, type BinaryNode } from "baileys";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import type { ReportedStatus } from "@gateway/protocol/message.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { addressOf, asChatId, isPerson, personChat } from "../addressing/jids.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { sendsOf } from "../outbound/sends.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Keyed by the stanza's `type` ("" if absent). The library's events are not used, because they report `played` as `read` in groups. */
const STATUSES: Record<string, ReportedStatus> = { "": "delivered", inactive: "delivered", read: "read", played: "played" };

export function receipt(ctx: SessionContext, node: BinaryNode): void {
  const { attrs } = node;
  const lids = lidMappingOf(ctx.session);
  const status = STATUSES[attrs["type"] ?? ""];
  const reporter = attrs["participant"] ?? attrs["from"];
  if (lids.isOwn(reporter)) return readOnOwnDevice(ctx, attrs);
  if (status === undefined) return;
  const perMessage = getBinaryNodeChildren(node, "participants");
  if (perMessage.length > 0) return groupedReceipts(ctx, node, perMessage, status);
  const person = lids.person(reporter, otherAddressOf(attrs));
  const place = chatOf(attrs, person);
  if (place === null) return;
  emitStatuses(ctx, { ...place, status, timestamp: Number(attrs["t"] ?? 0) }, idsOf(node));
}

type StatusChange = { chatId: ChatId; participant: Person | null; status: ReportedStatus; timestamp: number };

function emitStatuses(ctx: SessionContext, { chatId, participant, status, timestamp }: StatusChange, ids: readonly string[]): void {
  const sends = sendsOf(ctx.session);
  const events = ids.map<KeyedEvent>((id) => {
    sends.confirmed(ctx, id, timestamp);
    return {
      key: DEDUPE.status(id, status, participant),
      event: { type: "message.status", chat_id: chatId, message_id: id, status, participant, timestamp },
    };
  });
  if (events.length > 0) ctx.emit(events);
}

/** In large groups, the server reports many readers of a message in one receipt. */
function groupedReceipts(ctx: SessionContext, { attrs }: BinaryNode, perMessage: readonly BinaryNode[], status: ReportedStatus): void {
  const chatId = asChatId(attrs["from"] ?? "");
  if (chatId === null) return;
  const lids = lidMappingOf(ctx.session);
  for (const list of perMessage) {
    for (const { attrs: user } of getBinaryNodeChildren(list, "user")) {
      const participant = lids.person(user["jid"]);
      const id = list.attrs["key"] ?? attrs["id"];
      if (id) emitStatuses(ctx, { chatId, participant, status, timestamp: Number(user["t"] ?? attrs["t"] ?? 0) }, [id]);
    }
  }
}

function readOnOwnDevice(ctx: SessionContext, attrs: BinaryNode["attrs"]): void {
  if (attrs["type"] !== "read" && attrs["type"] !== "read-self") return;
  const jid = attrs["participant"] ? attrs["from"] : (attrs["recipient"] ?? "");
  const chatId = chatIdOf(ctx, jid);
  if (chatId !== null) {
    ctx.emit([
      {
        key: null,
        event: { type: "chat.updated", chat_id: chatId, unread_count: 0, marked_unread: false, timestamp: Number(attrs["t"] ?? 0) },
      },
    ]);
  }
}

function chatOf({ from, participant }: BinaryNode["attrs"], person: Person | null): { chatId: ChatId; participant: Person | null } | null {
  const address = addressOf(from);
  if (address === null || person === null) return null;
  if (isPerson(address)) return participant ? null : { chatId: personChat(person), participant: null };
  const chatId = asChatId(address.id);
  return chatId === null ? null : { chatId, participant: person };
}

function otherAddressOf(attrs: BinaryNode["attrs"]): string | undefined {
  return attrs["participant_pn"] ?? attrs["participant_lid"] ?? attrs["sender_pn"] ?? attrs["sender_lid"];
}

function idsOf(node: BinaryNode): string[] {
  const more = getBinaryNodeChildren(getBinaryNodeChild(node, "list"), "item").map(({ attrs }) => attrs["id"]);
  return [node.attrs["id"], ...more].filter((id) => id !== undefined);
}
