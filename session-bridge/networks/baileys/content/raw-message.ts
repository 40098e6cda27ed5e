// `NetworkMessage.raw`: the message and key in the network's encoding, for quoting, forwarding and requesting again.
import { proto, type WAMessage } from "baileys";

export type RawMessage = { key: proto.IMessageKey; message: proto.IMessage };

export function rawOf({ key, message, messageTimestamp, participant }: WAMessage): string {
  const author = key.participant || participant;
  const stored: proto.IWebMessageInfo = {
    key: { remoteJid: key.remoteJid ?? null, id: key.id ?? null, fromMe: key.fromMe === true, ...(author && { participant: author }) },
    message: message ?? null,
    messageTimestamp: messageTimestamp ?? null,
  };
  return Buffer.from(proto.WebMessageInfo.encode(stored).finish()).toString("base64");
}

export function readRaw(raw: string): RawMessage | null {
  try {
    const { key, message } = proto.WebMessageInfo.decode(Buffer.from(raw, "base64"));
    return key && message ? { key, message } : null;
  } catch {
    return null;
  }
}
