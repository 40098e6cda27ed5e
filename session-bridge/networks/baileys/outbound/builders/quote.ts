import { proto, type WAMessage } from "baileys";
import type { SendRequest } from "../../../../../src/protocol/content.ts";
import { readRaw } from "../../content/raw-message.ts";
import { unwrap } from "../../content/unwrap.ts";
import { addressOf, isPerson } from "../../addressing/jids.ts";
import type { BuildContext } from "./message-builder.ts";

/** Null when the stored form cannot be quoted (it is not a message's, or says nothing). */
export function quotedMessage({ raw, ref }: NonNullable<SendRequest["quoted"]>, { request, recipient }: BuildContext): WAMessage | null {
  const source = readRaw(raw);
  const { field, content } = unwrap(source?.message);
  if (!source || field === null) return null;
  // A chat may have been kept under the person's other address; a quote from elsewhere would show as private.
  const here = ref.chat_id === request.chat_id;
  const key = { ...source.key, id: ref.message_id, fromMe: ref.from_me, ...(here && { remoteJid: recipient.jid }) };
  const direct = isPerson(addressOf(key.remoteJid));
  // The library quotes what it finds first: the thing itself, without what rides along.
  return { key: direct ? { ...key, participant: null } : key, message: proto.Message.fromObject({ [field]: content[field] }) };
}
