import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { proto } from "baileys";

export const { SecretEncType } = proto.Message.SecretEncryptedMessage;

/** Binds an edit to its message and author. `authorJid` without device. */
export interface EditContext {
  messageId: string;
  messageSecret: Uint8Array;
  authorJid: string;
  type?: proto.Message.SecretEncryptedMessage.SecretEncType;
}

const TAG_BYTES = 16;

export function sealEdit(edit: proto.IMessage, context: EditContext): proto.Message.ISecretEncryptedMessage {
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", editKey(context), encIv);
  const encPayload = Buffer.concat([cipher.update(proto.Message.encode(edit).finish()), cipher.final(), cipher.getAuthTag()]);
  return { encPayload, encIv, secretEncType: context.type ?? SecretEncType.MESSAGE_EDIT };
}

/** Null when the edit does not belong to this context. */
export function openEdit({ encPayload, encIv }: proto.Message.ISecretEncryptedMessage, context: EditContext): proto.Message | null {
  if (!encPayload || !encIv) return null;
  const payload = Buffer.from(encPayload);
  const decipher = createDecipheriv("aes-256-gcm", editKey(context), encIv);
  decipher.setAuthTag(payload.subarray(-TAG_BYTES));
  try {
    return proto.Message.decode(Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]));
  } catch {
    return null;
  }
}

// The author appears twice: as author of the message and of the edit.
function editKey({ messageId, messageSecret, authorJid, type = SecretEncType.MESSAGE_EDIT }: EditContext): Buffer {
  const purpose = type === SecretEncType.EVENT_EDIT ? "Event Edit" : "Message Edit";
  return Buffer.from(hkdfSync("sha256", messageSecret, Buffer.alloc(0), `${messageId}${authorJid}${authorJid}${purpose}`, 32));
}
