// The addresses that a key is limited to (docs/operate/security.md, "Keys limited to addresses").
import { parseV4, parseV6, sharesPrefix } from "@gateway/protocol/addresses/ip.ts";

type Block = { first: Uint8Array; length: number };

const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
const MAPPED_BITS = MAPPED.length * 8;

/** If `allowed` is null, any address is allowed. An unknown or unreadable address is outside every block. */
export function isAllowedFrom(allowed: readonly string[] | null | undefined, address: string | null): boolean {
  // Undefined if the row was cached by a release without this field.
  if (allowed === undefined || allowed === null) return true;
  const bytes = address === null ? null : parseAddress(address);
  if (bytes === null) return false;
  return allowed.some((text) => {
    const block = parseBlock(text);
    return block !== null && sharesPrefix(bytes, block.first, block.length);
  });
}

export function isAddressBlock(text: string): boolean {
  return parseBlock(text) !== null;
}

/** An address, or a block such as `203.0.113.0/24`. Bits after the prefix are ignored. */
function parseBlock(text: string): Block | null {
  const [, address = "", bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const bytes = readAddress(address);
  if (bytes === null) return null;
  const length = bits === undefined ? bytes.length * 8 : Number(bits);
  if (length > bytes.length * 8) return null;
  const isMapped = length >= MAPPED_BITS && sharesMapped(bytes);
  return isMapped ? { first: bytes.slice(MAPPED.length), length: length - MAPPED_BITS } : { first: bytes, length };
}

/** An IPv4-mapped IPv6 address (`::ffff:203.0.113.9`) is treated as IPv4. */
function parseAddress(text: string): Uint8Array | null {
  const bytes = readAddress(text.trim().split("%")[0] ?? "");
  return bytes !== null && sharesMapped(bytes) ? bytes.slice(MAPPED.length) : bytes;
}

function readAddress(text: string): Uint8Array | null {
  // Refuses numbers with a leading zero, because some programs read them as octal.
  if (!text.includes(":")) return /(^|\.)0\d/.test(text) ? null : parseV4(text);
  const [, head, dotted] = /^(.*:)(\d+\.[\d.]+)$/.exec(text) ?? [];
  if (head === undefined || dotted === undefined) return parseV6(text);
  const v4 = readAddress(dotted);
  if (v4 === null) return null;
  const [a = 0, b = 0, c = 0, d = 0] = v4;
  return parseV6(`${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`);
}

function sharesMapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && sharesPrefix(bytes.slice(0, MAPPED.length), MAPPED, MAPPED_BITS);
}
