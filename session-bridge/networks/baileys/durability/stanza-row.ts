// A stanza as a journal row. The library's own form would lose texts with an "@", such as names, because it encodes them as JIDs.
import { decodeBinaryNode, type BinaryNode } from "baileys";

/** First byte of a row. Rows of earlier releases have the library's form, whose first byte is 0 or 2. */
const FORM = 1;
const HEAD_BYTES = 5;

type Json = { tag: string; attrs: BinaryNode["attrs"]; text?: string; size?: number; nodes?: Json[] };

/** Bytes follow the JSON in the order of their nodes, because base64 would be a third larger. */
export function encodeStanzaRow(stanza: BinaryNode): Buffer {
  const parts: Uint8Array[] = [];
  const json = Buffer.from(JSON.stringify(toJson(stanza, parts)));
  const head = Buffer.alloc(HEAD_BYTES, FORM);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json, ...parts]);
}

/** Throws when the row is not a stanza. */
export async function decodeStanzaRow(row: Buffer): Promise<BinaryNode> {
  if (row[0] !== FORM) return decodeBinaryNode(row);
  const end = HEAD_BYTES + row.readUInt32BE(1);
  const rest = { bytes: row.subarray(end) };
  return fromJson(JSON.parse(row.toString("utf8", HEAD_BYTES, end)) as Json, rest);
}

function toJson({ tag, attrs, content }: BinaryNode, parts: Uint8Array[]): Json {
  if (content === undefined) return { tag, attrs };
  if (typeof content === "string") return { tag, attrs, text: content };
  if (Array.isArray(content)) return { tag, attrs, nodes: content.map((node) => toJson(node, parts)) };
  parts.push(content);
  return { tag, attrs, size: content.length };
}

function fromJson({ tag, attrs, text, size, nodes }: Json, rest: { bytes: Buffer }): BinaryNode {
  if (text !== undefined) return { tag, attrs, content: text };
  if (nodes !== undefined) return { tag, attrs, content: nodes.map((node) => fromJson(node, rest)) };
  if (size === undefined) return { tag, attrs };
  const content = rest.bytes.subarray(0, size);
  rest.bytes = rest.bytes.subarray(size);
  return { tag, attrs, content };
}
