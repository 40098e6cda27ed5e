// Stanzas: how they are built and read. The tree itself is Baileys' `BinaryNode`.
import type { BinaryNode } from "baileys";

/** The server part of a person's jid. */
export const SERVER = "s.whatsapp.net";
/** The server itself, as a sender: a jid without a user. Clients compare it with its `@`. */
export const SERVER_JID = `@${SERVER}`;
export const STATUS_FEED = "status@broadcast";

type Attributes = Record<string, string | undefined>;

/** A stanza without its undefined attributes, and without a content when there is none. */
export function node(tag: string, attrs: Attributes = {}, content?: BinaryNode["content"]): BinaryNode {
  const present: Record<string, string> = {};
  for (const name in attrs) {
    const value = attrs[name];
    if (value !== undefined) present[name] = value;
  }
  return content === undefined ? { tag, attrs: present } : { tag, attrs: present, content };
}

export function childrenOf(parent: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(parent?.content) ? parent.content : [];
}

export function children(parent: BinaryNode | undefined, tag: string): BinaryNode[] {
  return childrenOf(parent).filter((one) => one.tag === tag);
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return childrenOf(parent).find((one) => one.tag === tag);
}

/** The content as bytes; undefined when there is none or it is a list. Texts arrive as bytes or as strings. */
export function bytesOf(one: BinaryNode | undefined): Buffer | undefined {
  const content = one?.content;
  if (content === undefined || Array.isArray(content)) return undefined;
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
}

export function textOf(one: BinaryNode | undefined): string | undefined {
  return bytesOf(one)?.toString("utf8");
}

/** A big-endian number, as the wire writes key ids. */
export function numberOf(one: BinaryNode | undefined): number | undefined {
  const bytes = bytesOf(one);
  return bytes && bytes.length > 0 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : undefined;
}

/** `value` in `length` bytes, big-endian. */
export function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

/** Unix seconds, as every timestamp on the wire. */
export function nowSeconds(): string {
  return Math.floor(Date.now() / 1000).toString();
}
