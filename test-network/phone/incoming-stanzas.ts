import { type BinaryNode, type WAPatchName, generateMessageIDV2 } from "baileys";
import { childrenOf } from "../node.ts";
import { pullAppState } from "./app-state.ts";
import { receiveCall } from "./calls.ts";
import { rotateSenderKey } from "./messages/dispatch.ts";
import { answerLostMedia } from "./messages/lost-media.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { receiveDoing, receivePresence } from "./presence.ts";
import { learnPushName } from "./profile.ts";
import { acknowledge, receiveReceipt } from "./messages/receipts.ts";
import { receiveMessage } from "./messages/receiving.ts";
import { answerRetry } from "./messages/retries.ts";
import { isSharedChat } from "./addresses.ts";
import { sendContent } from "./messages/sending.ts";
import type { MessageRecord } from "./store/messages.ts";

/** Marks echoed messages, so that two echo phones do not reply to each other forever. */
const ECHO_ID = "3EB0EC40";

type Handler = (phone: PhoneDependencies, stanza: BinaryNode) => void | Promise<void>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  message: takeMessage,
  status: takeStatus,
  receipt: takeReceipt,
  ack: takeAck,
  notification: takeNotification,
  call: receiveCall,
  presence: receivePresence,
  chatstate: receiveDoing,
};

/** Ignores unknown stanzas, as clients do. */
export async function takeIn(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  await HANDLERS[stanza.tag]?.(phone, stanza);
}

function takeReceipt(phone: PhoneDependencies, stanza: BinaryNode): void | Promise<void> {
  switch (stanza.attrs["type"]) {
    case "retry":
      return answerRetry(phone, stanza);
    case "server-error":
      return answerLostMedia(phone, stanza);
    default:
      return receiveReceipt(phone, stanza);
  }
}

async function takeMessage(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  const arrival = await receiveMessage(phone, stanza);
  if (arrival?.filed.kind !== "message") return;
  const { record } = arrival.filed;
  if (!record.from_me) phone.commit(() => learnPushName(phone, record.from, record.push_name));
  await echo(phone, record);
}

/** A status post is a message with its own stanza tag, which needs its own ack. */
async function takeStatus(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  await takeMessage(phone, { ...stanza, tag: "message" });
  acknowledge(phone, stanza);
}

function takeAck(phone: PhoneDependencies, { attrs }: BinaryNode): void {
  if (attrs["class"] !== "message") return;
  const own = phone.messages.findAnywhere(attrs["id"] ?? "")?.record;
  if (own?.status !== "pending") return;
  const error = attrs["error"] ?? null;
  phone.commit(() => phone.messages.change(own.chat_id, own.message_id, () => ({ status: error === null ? "sent" : "failed", error })));
}

async function takeNotification(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  const { type, from = "" } = stanza.attrs;
  const changes = childrenOf(stanza);
  if (type === "server_sync") {
    for (const { tag, attrs } of changes) if (tag === "collection") await pullAppState(phone, attrs["name"] as WAPatchName);
  }
  if (type === "w:gp2" && changes.some(({ tag }) => tag === "remove" || tag === "leave")) rotateSenderKey(phone, from);
  if (from.endsWith("@g.us")) phone.commit(() => phone.observer.onGroup(phone, stanza));
  acknowledge(phone, stanza);
}

/** Demo contact that replies with the received text. */
async function echo(phone: PhoneDependencies, received: MessageRecord): Promise<void> {
  const { chat_id, from_me, message_id, text, type } = received;
  if (phone.identity.options.reply !== "echo" || from_me || type !== "text" || text === null) return;
  if (isSharedChat(chat_id) || message_id.startsWith(ECHO_ID)) return;
  const messageId = `${ECHO_ID}${generateMessageIDV2(phone.jid).slice(ECHO_ID.length)}`;
  await sendContent(phone, chat_id, { type: "text", text }, { messageId });
}
