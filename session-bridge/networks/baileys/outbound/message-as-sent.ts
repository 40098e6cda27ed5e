import type { SendRequest } from "@gateway/protocol/content.ts";
import { type NetworkMessage, NO_EXTRAS, type StoredMedia } from "@gateway/protocol/message.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { networkMessage } from "../content/network-message.ts";
import { rawOf } from "../content/unwrap.ts";
import { viewOf } from "../content/view.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { PendingSend } from "./pending-send.ts";

/** `timestamp` is the network's, in Unix seconds. `sent` is null if the request was sent as an IQ query instead of a message. */
export function messageAsSent(ctx: SessionContext, request: SendRequest, sent: PendingSend["sent"], timestamp: number): NetworkMessage {
  const { message_id: id, content } = request;
  const chatId = sent?.recipient.chatId ?? request.chat_id;
  const key = { remoteJid: sent?.recipient.jid ?? chatId, fromMe: true, id };
  const wire = { key, message: sent?.wire.message ?? null, messageTimestamp: timestamp };
  const view = viewOf(sent?.wire.message);
  if (view) {
    const message = networkMessage(wire, view, { chatId, fromMe: true, sender: null }, lidMappingOf(ctx.session));
    return { ...message, media: withToken(message.media, sent?.wire.media ?? null) };
  }
  return {
    message_id: id,
    chat_id: chatId,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp,
    type: content.kind,
    text: textOf(content),
    media: null,
    ...NO_EXTRAS,
    raw: sent ? rawOf(wire) : null,
  };
}

function textOf(content: SendRequest["content"]): string | null {
  if (content.kind === "edit") return content.text;
  return content.kind === "reaction" ? content.reaction : null;
}

function withToken(described: StoredMedia | null, stored: StoredMedia | null): StoredMedia | null {
  if (!described || !stored) return described;
  const { token, mimetype, filename, size } = stored;
  return { ...described, token, mimetype, filename: filename ?? described.filename, size };
}
