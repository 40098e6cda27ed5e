// Determines from the text which addresses and host names are public. Resolved addresses are filtered when connecting.
import { parseV4, parseV6, sharesPrefix } from "./ip.ts";

/** IPv4 blocks that are not public, as first address and prefix length (IANA special-purpose registry). */
const NON_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Exceptions from 2000::/3, the only public block: 2001::/23 (includes Teredo), documentation, 6to4. */
const NON_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
const PUBLIC_V6 = ["2000::", 3] as const;
const OTHER_V6 = ["::/3", "4000::/2", "8000::/1"];

export const NON_PUBLIC_BLOCKS: readonly string[] = [
  ...[...NON_PUBLIC_V4, ...NON_PUBLIC_V6].map(([first, length]) => `${first}/${length}`),
  ...OTHER_V6,
];

/** Names that never exist on the public internet (RFC 6761, 6762, 7686, 8375, 9476, and common local suffixes). */
const NON_PUBLIC_SUFFIXES = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
  "cluster.local",
];

/** `host` must be written as the WHATWG URL parser writes it: IPv4 in four decimals, IPv6 in brackets, and names in lower-case ASCII. */
export function isPublicHost(host: string): boolean {
  const v4 = parseV4(host);
  if (v4 !== null) return !NON_PUBLIC_V4.some(([first, length]) => sharesPrefix(v4, parseV4(first), length));
  if (host.startsWith("[")) return isPublicV6(parseV6(host.slice(1, -1)));
  return isPublicName(host.endsWith(".") ? host.slice(0, -1) : host);
}

function isPublicV6(address: Uint8Array | null): boolean {
  if (address === null || !sharesPrefix(address, parseV6(PUBLIC_V6[0]), PUBLIC_V6[1])) return false;
  if (NON_PUBLIC_V6.some(([first, length]) => sharesPrefix(address, parseV6(first), length))) return false;
  return !isIsatap(address);
}

/** ISATAP addresses embed an IPv4 address after 0000:5efe or 0200:5efe. */
function isIsatap(address: Uint8Array): boolean {
  return ((address[8] ?? 0) & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;
}

function isPublicName(name: string): boolean {
  const labels = name.split(".");
  if (name.length > 253 || labels.length < 2 || labels.some((label) => !/^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return false;
  return !NON_PUBLIC_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}
