import { type BinaryNode, decodeDecompressedBinaryNode } from "baileys";
import { inflateSync } from "node:zlib";
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from "baileys/lib/WABinary/constants.js";
import type { Account } from "./model.ts";

export const SERVER = "s.whatsapp.net";
/** The server's own JID has no user part. Clients compare it including the `@`. */
export const SERVER_JID = `@${SERVER}`;
export const STATUS_FEED = "status@broadcast";

type Attributes = Record<string, string | undefined>;

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

const TOKENS = { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS };
const COMPRESSED = 2;

/** A stanza is a flag byte and a tree. The tree is deflated if the flag says so. */
export function decodeStanza(bytes: Buffer): BinaryNode {
  const [flags = 0] = bytes;
  const tree = bytes.subarray(1);
  return decodeDecompressedBinaryNode((flags & COMPRESSED) === 0 ? tree : inflateSync(tree), TOKENS);
}

// Identifies an account to clients by phone or LID, depending on which they may know.

/** `usual` is the form for accounts known by both phone and LID. */
export function namesByLid({ hidesNumber, phoneOnly }: Account, usual: boolean): boolean {
  return hidesNumber || (usual && !phoneOnly);
}

export function addressesOf(account: Account, byLid: boolean): { jid: string; other: string | undefined } {
  const { lidJid, pnJid, hidesNumber, phoneOnly } = account;
  return namesByLid(account, byLid)
    ? { jid: lidJid, other: hidesNumber ? undefined : pnJid }
    : { jid: pnJid, other: phoneOnly ? undefined : lidJid };
}
