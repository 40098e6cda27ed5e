// The library drops the outer message secret of copies from our other devices. Votes and edits need it.
import { encodeWAMessage, proto, unpadRandomMax16 } from "baileys";

const BEGIN = Buffer.from([0xfa, 0x01]);

/** Returns the plaintext with the outer `messageContextInfo` moved into the wrapped message. */
export function withOuterContext(plaintext: Buffer): Buffer {
  if (!plaintext.subarray(0, BEGIN.length).equals(BEGIN)) return plaintext;
  try {
    const message = proto.Message.decode(unpadRandomMax16(plaintext));
    const { deviceSentMessage, messageContextInfo } = message;
    if (!deviceSentMessage?.message || !messageContextInfo) return plaintext;
    const inner = deviceSentMessage.message.messageContextInfo;
    deviceSentMessage.message.messageContextInfo = proto.MessageContextInfo.fromObject({ ...messageContextInfo, ...inner });
    return encodeWAMessage(message);
  } catch {
    return plaintext;
  }
}
