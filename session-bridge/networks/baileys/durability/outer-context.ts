// Copies of what the owner sends from another device carry the secret of the message beside the message that they wrap, and the library
// keeps what is wrapped alone: votes, edits and answers to it could not be opened.
import { encodeWAMessage, proto, unpadRandomMax16 } from "baileys";

/** The tag of `deviceSentMessage`, which such a copy begins with. */
const BEGIN = Buffer.from([0xfa, 0x01]);

/** The plaintext of a message, with what stands beside the wrapped message moved into it. */
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
    // The library says what is wrong with it.
    return plaintext;
  }
}
