import { inflateSync } from "node:zlib";
import { decodeDecompressedBinaryNode, type BinaryNode } from "baileys";
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from "baileys/lib/WABinary/constants.js";

const TOKENS = { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS };
const COMPRESSED = 2;

/** A flag byte, then the tree, deflated if the flag says so. */
export function decodeStanza(bytes: Buffer): BinaryNode {
  const [flags = 0] = bytes;
  const tree = bytes.subarray(1);
  return decodeDecompressedBinaryNode((flags & COMPRESSED) === 0 ? tree : inflateSync(tree), TOKENS);
}
