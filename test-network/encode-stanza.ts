import { encodeBinaryNode, type BinaryNode } from "baileys";
import { TAGS, TOKEN_MAP } from "baileys/lib/WABinary/constants.js";

const JID = /^[\w.-]*(?::\d+)?@(?:s\.whatsapp\.net|c\.us|lid|g\.us|newsletter|broadcast|call|hosted|hosted\.lid|bot)$/;

/** Sends names such as "Maria@" as plain text, as the network does. The library alone encodes each text with an "@" as a JID. */
export function encodeStanza(stanza: BinaryNode): Buffer {
  const bytes = [0];
  const tokens = new Proxy(TOKEN_MAP, {
    get(known, text: string) {
      if (!text.includes("@") || JID.test(text)) return known[text];
      const utf8 = Buffer.from(text);
      const { length } = utf8;
      if (length < 256) bytes.push(TAGS.BINARY_8, length);
      else bytes.push(TAGS.BINARY_20, length >> 16, (length >> 8) & 255, length & 255);
      bytes.push(...utf8.subarray(0, -1));
      // The library writes the last byte itself, as it writes a token's number.
      return { index: utf8.at(-1) };
    },
  });
  return encodeBinaryNode(stanza, { TAGS, TOKEN_MAP: tokens }, bytes);
}
