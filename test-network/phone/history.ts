// Sends history to linked devices: all chats after pairing, and single chats on request.
import { deflateSync } from "node:zlib";
import { generateMessageIDV2, jidDecode, jidEncode, proto, type BinaryNode } from "baileys";
import { node } from "../node.ts";
import { chatIdOf, isSharedChat, jidOf } from "./addresses.ts";
import { chatOf, changeChat } from "./chats.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { identityProof, seal } from "./messages/encryption.ts";
import { sealMedia } from "./messages/media-cipher.ts";
import { withSalt } from "./privacy-tokens.ts";
import type { StoredMessage } from "./store/messages.ts";
import { newRecord } from "./messages/inbox.ts";
import { viewOf } from "./messages/message-view.ts";

const { Type } = proto.Message.ProtocolMessage;
const { HistorySyncType } = proto.HistorySync;
const { PeerDataOperationRequestType } = proto.Message;

const MESSAGES_PER_CHAT = 200;
const MESSAGES_PER_CHUNK = 400;

export async function sendPeerMessage(phone: PhoneDependencies, device: number, message: proto.IMessage): Promise<void> {
  const enc = await seal(phone, { pn: phone.pn, device }, message);
  if (!enc) return;
  phone.commit(() => {});
  phone.link.send(
    node(
      "message",
      { to: jidEncode(phone.pn, "s.whatsapp.net", device), id: generateMessageIDV2(phone.jid), category: "peer", type: "text" },
      [enc, ...identityProof(phone, [enc])],
    ),
  );
}

export async function sendInitialHistory(phone: PhoneDependencies, device: number): Promise<void> {
  if (phone.identity.options.history === "none") return;
  const people = phone.link.people();
  const phoneNumberToLidMappings = people.map(({ pn, lid }) => ({ pnJid: jidEncode(pn, "s.whatsapp.net"), lidJid: jidEncode(lid, "lid") }));
  const chunks = chunksOf(phone);
  for (const [chunkOrder, conversations] of chunks.entries()) {
    const first = chunkOrder === 0;
    await sendHistory(phone, device, {
      syncType: first ? HistorySyncType.INITIAL_BOOTSTRAP : HistorySyncType.RECENT,
      progress: Math.floor(((chunkOrder + 1) * 100) / chunks.length),
      chunkOrder,
      conversations,
      ...(first && { phoneNumberToLidMappings }),
    });
  }
  await sendHistory(phone, device, {
    syncType: HistorySyncType.PUSH_NAME,
    progress: 100,
    chunkOrder: 0,
    pushnames: people.map(({ pn, name }) => ({ id: jidEncode(pn, "s.whatsapp.net"), pushname: name })),
  });
}

/** Always returns at least one chunk, because the device waits for it. */
function chunksOf(phone: PhoneDependencies): proto.IConversation[][] {
  const chunks: proto.IConversation[][] = [[]];
  let size = 0;
  for (const chatId of phone.messages.chatIds()) {
    const stored = phone.messages.list(chatId).slice(-MESSAGES_PER_CHAT);
    if (size > 0 && size + stored.length > MESSAGES_PER_CHUNK) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(conversation(phone, chatId, stored));
    size += stored.length;
  }
  return chunks;
}

/** Answers a linked device's request for older messages or for a message it could not decrypt. */
export async function answerDataRequest(phone: PhoneDependencies, stanza: BinaryNode, message: proto.IMessage): Promise<void> {
  const request = message.protocolMessage?.peerDataOperationRequestMessage;
  const device = jidDecode(stanza.attrs["from"])?.device;
  if (!request || device === undefined || stanza.attrs["category"] !== "peer") return;
  if (request.historySyncOnDemandRequest) await sendOlder(phone, device, request.historySyncOnDemandRequest, stanza.attrs["id"] ?? "");
  for (const { messageKey } of request.placeholderMessageResendRequest ?? []) {
    await sendPlaceholder(phone, device, messageKey?.id ?? "", stanza.attrs["id"] ?? "");
  }
}

type OlderRequest = proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest;

async function sendOlder(phone: PhoneDependencies, device: number, request: OlderRequest, requestId: string): Promise<void> {
  if (phone.identity.options.history === "none") return;
  const chatId = chatIdOf(request.chatJid ?? "", phone.link.directory);
  const all = phone.messages.list(chatId);
  const oldest = all.findIndex(({ record }) => record.message_id === request.oldestMsgId);
  const until = oldest === -1 ? all.length : oldest;
  const wanted = all.slice(Math.max(0, until - (request.onDemandMsgCount ?? 50)), until);
  await sendHistory(
    phone,
    device,
    {
      syncType: HistorySyncType.ON_DEMAND,
      progress: 100,
      chunkOrder: 1,
      conversations: [conversation(phone, chatId, wanted)],
    },
    requestId,
  );
}

async function sendPlaceholder(phone: PhoneDependencies, device: number, messageId: string, requestId: string): Promise<void> {
  const stored = phone.messages.findAnywhere(messageId);
  if (!stored) return;
  await sendPeerMessage(phone, device, {
    protocolMessage: {
      type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
        stanzaId: requestId,
        peerDataOperationResult: [
          {
            placeholderMessageResendResponse: { webMessageInfoBytes: proto.WebMessageInfo.encode(webMessage(stored)).finish() },
          },
        ],
      },
    },
  });
}

async function sendHistory(phone: PhoneDependencies, device: number, sync: proto.IHistorySync, requestId?: string): Promise<void> {
  const payload = deflateSync(withSalt(phone, proto.HistorySync.encode(sync).finish()));
  const asFile = phone.identity.options.history === "files" && sync.syncType !== HistorySyncType.INITIAL_BOOTSTRAP;
  await sendPeerMessage(phone, device, {
    protocolMessage: {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: sync.syncType as number,
        chunkOrder: sync.chunkOrder ?? 0,
        progress: sync.progress ?? 100,
        ...(requestId !== undefined && { peerDataRequestSessionId: requestId }),
        ...(asFile ? storeFile(phone, payload) : { initialHistBootstrapInlinePayload: payload }),
      },
    },
  });
}

/** Stock clients fetch such a file from the real network's host, so only the bridge can read it. */
function storeFile(phone: PhoneDependencies, payload: Buffer): Partial<proto.Message.IHistorySyncNotification> {
  const { sealed, ...file } = sealMedia(payload, "History");
  return { ...file, directPath: phone.link.storeBlob(sealed).directPath };
}

function conversation(phone: PhoneDependencies, chatId: string, stored: readonly StoredMessage[]): proto.IConversation {
  const chat = chatOf(phone, chatId);
  const contact = phone.documents.get("contact", chatId.replace(/@.*$/, ""));
  const person = isSharedChat(chatId) ? undefined : phone.link.directory.find(jidOf(chatId));
  const name = phone.link.group(chatId)?.subject ?? contact?.full_name;
  return {
    id: jidOf(chatId),
    ...(person && { lidJid: jidEncode(person.lid, "lid"), pnJid: jidEncode(person.pn, "s.whatsapp.net") }),
    ...(name && { name }),
    messages: stored.toReversed().map((message, index) => ({ message: webMessage(message), msgOrderId: stored.length - index })),
    conversationTimestamp: stored.at(-1)?.record.timestamp ?? 0,
    unreadCount: chat.unread_count,
    markedAsUnread: chat.marked_unread,
    archived: chat.archived,
    pinned: chat.pinned ? 1 : 0,
    ...(chat.muted_until !== null && { muteEndTime: chat.muted_until }),
    ephemeralExpiration: chat.disappearing_seconds,
    endOfHistoryTransferType: 0,
  };
}

function webMessage({ record, content }: StoredMessage): proto.IWebMessageInfo {
  const shared = isSharedChat(record.chat_id);
  const { Status } = proto.WebMessageInfo;
  const own = {
    pending: Status.PENDING,
    failed: Status.ERROR,
    sent: Status.SERVER_ACK,
    delivered: Status.DELIVERY_ACK,
    read: Status.READ,
    played: Status.PLAYED,
  };
  return {
    key: {
      remoteJid: jidOf(record.chat_id),
      id: record.message_id,
      fromMe: record.from_me,
      ...(shared && !record.from_me && { participant: record.wire.author }),
    },
    message: proto.Message.decode(content),
    messageTimestamp: record.timestamp,
    status: record.from_me ? own[record.status ?? "sent"] : Status.DELIVERY_ACK,
    ...(record.push_name !== null && { pushName: record.push_name }),
    ...(shared && { participant: record.wire.author }),
    starred: record.starred,
  };
}

// Adds past messages to a phone, for devices that are linked later.
export type PastMessage = {
  text: string;
  timestamp: number;
  from_me: boolean;
  from?: string | undefined;
  message_id?: string | undefined;
  read: boolean;
};

export function remember(phone: PhoneDependencies, chat: string, past: readonly PastMessage[]): string[] {
  const chatId = chatIdOf(jidOf(chat), phone.link.directory);
  return phone.commit(() =>
    past.map((message) => {
      const content = { conversation: message.text };
      const view = viewOf(content);
      if (!view) throw new Error("a text without text");
      const id = message.message_id ?? generateMessageIDV2(phone.jid);
      const from = message.from_me ? phone.pn : (message.from ?? chatId.replace(/@.*$/, ""));
      const record = newRecord(
        {
          message_id: id,
          chat_id: chatId,
          from,
          from_me: message.from_me,
          timestamp: message.timestamp,
          push_name: null,
          wire: { chat: jidOf(chatId), author: jidOf(from) },
        },
        { ...view, media: null },
      );
      const read = message.from_me || message.read;
      phone.messages.put({ ...record, read, status: message.from_me ? "read" : null }, proto.Message.encode(content).finish());
      if (!read) changeChat(phone, chatId, { unread_count: chatOf(phone, chatId).unread_count + 1 });
      return id;
    }),
  );
}
