import { proto, type WAMessage } from "baileys";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { readRaw } from "../../content/raw-message.ts";
import { unwrap } from "../../content/unwrap.ts";
import { addressOf, isPerson } from "../../addressing/jids.ts";
import type { BuildContext } from "./message-builder.ts";

/** Null when the stored form is not a message or has no content. */
export function quotedMessage({ raw, ref }: NonNullable<SendRequest["quoted"]>, { request, recipient }: BuildContext): WAMessage | null {
  const source = readRaw(raw);
  const { field, content } = unwrap(source?.message);
  if (!source || field === null) return null;
  // A chat may be stored under the person's other address; a quote from another chat would be shown as a private reply.
  const here = ref.chat_id === request.chat_id;
  const key = { ...source.key, id: ref.message_id, fromMe: ref.from_me, ...(here && { remoteJid: recipient.jid }) };
  const direct = isPerson(addressOf(key.remoteJid));
  // The library quotes the first field it finds, so accompanying fields are left out.
  return { key: direct ? { ...key, participant: null } : key, message: proto.Message.fromObject({ [field]: content[field] }) };
}
