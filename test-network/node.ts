import type { BinaryNode } from "baileys";

export const SERVER = "s.whatsapp.net";
/** The server's own JID has no user part; clients compare it including the `@`. */
export const SERVER_JID = `@${SERVER}`;
export const STATUS_FEED = "status@broadcast";

type Attributes = Record<string, string | undefined>;

/** Omits undefined attributes and content. */
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

export function bytesOf(one: BinaryNode | undefined): Buffer | undefined {
  const content = one?.content;
  if (content === undefined || Array.isArray(content)) return undefined;
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
}

export function textOf(one: BinaryNode | undefined): string | undefined {
  return bytesOf(one)?.toString("utf8");
}

export function numberOf(one: BinaryNode | undefined): number | undefined {
  const bytes = bytesOf(one);
  return bytes && bytes.length > 0 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : undefined;
}

export function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

/** The current time in Unix seconds, as in all timestamps on the wire. */
export function nowSeconds(): string {
  return Math.floor(Date.now() / 1000).toString();
}
