export function sharesPrefix(address: Uint8Array, first: Uint8Array | null, length: number): boolean {
  if (first === null || first.length !== address.length) return false;
  for (let bit = 0; bit < length; bit += 8) {
    const mask = (0xff << Math.max(0, 8 - (length - bit))) & 0xff;
    if ((((address[bit / 8] ?? 0) ^ (first[bit / 8] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

export function parseV4(text: string): Uint8Array | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part <= 255) ? Uint8Array.from(parts) : null;
}

/** Parses eight hex groups with at most one `::`. An embedded dotted IPv4 address must have been converted before. */
export function parseV6(text: string): Uint8Array | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  const values = groups.map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}
