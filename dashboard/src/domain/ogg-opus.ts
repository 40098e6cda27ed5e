// Browsers record Opus in WebM, but phones play it in Ogg, so this rewrites the container and keeps the audio (RFC 7845, RFC 3533).

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const BLOCK_GROUP = 0xa0;
const CODEC_PRIVATE = 0x63a2;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
const CONTAINERS: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, TRACKS, TRACK_ENTRY, BLOCK_GROUP]);

type Element = { id: number; start: number; end: number };

/** Returns null unless the bytes are WebM containing only Opus. */
export function oggOfWebm(webm: Uint8Array): Uint8Array<ArrayBuffer> | null {
  let head: Uint8Array | null = null;
  const packets: Uint8Array[] = [];
  for (const { id, start, end } of elements(webm, 0, webm.length)) {
    const bytes = webm.subarray(start, end);
    if (id === CODEC_PRIVATE) head = bytes;
    // A block begins with its track number (1 byte), time (2 bytes) and flags (1 byte). Without lacing, one packet follows.
    else if ((id === SIMPLE_BLOCK || id === BLOCK) && bytes.length > 4 && ((bytes[3] ?? 0) & 0x06) === 0) packets.push(bytes.subarray(4));
  }
  if (head === null || textOf(head.subarray(0, 8)) !== "OpusHead" || packets.length === 0) return null;
  const pages = [page(head, 0, 0n, 0x02), page(new TextEncoder().encode("OpusTags\x07\0\0\0gateway\0\0\0\0"), 1, 0n, 0)];
  let samples = 0n;
  for (const [index, packet] of packets.entries()) {
    samples += BigInt(samplesOf(packet));
    pages.push(page(packet, index + 2, samples, index === packets.length - 1 ? 0x04 : 0));
  }
  return joined(pages);
}

/** All elements, depth first. Live recordings have elements of unknown size. */
function* elements(bytes: Uint8Array, from: number, to: number): Generator<Element> {
  let at = from;
  while (at < to) {
    const id = vint(bytes, at, false);
    const size = id === null ? null : vint(bytes, at + id.length, true);
    if (id === null || size === null) return;
    const start = at + id.length + size.length;
    const unknown = size.value === 2 ** (7 * size.length) - 1;
    const end = unknown ? to : Math.min(to, start + size.value);
    if (CONTAINERS.has(id.value)) {
      // An element of unknown size ends where the next one begins, so its children are read as if they were its siblings.
      at = start;
      if (!unknown) {
        yield* elements(bytes, start, end);
        at = end;
      }
    } else {
      yield { id: id.value, start, end };
      at = end;
    }
  }
}

function vint(bytes: Uint8Array, at: number, masked: boolean): { value: number; length: number } | null {
  const first = bytes[at] ?? 0;
  if (first === 0) return null;
  const length = Math.clz32(first) - 23;
  let value = masked ? first & (0xff >> length) : first;
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0);
  return { value, length };
}

/** Returns the packet's length in samples at 48 kHz, which its first byte encodes (RFC 6716, section 3.1). */
function samplesOf(packet: Uint8Array): number {
  const toc = packet[0] ?? 0;
  const config = toc >> 3;
  const frame = config < 12 ? [480, 960, 1920, 2880][config & 3] : config < 16 ? [480, 960][config & 1] : [120, 240, 480, 960][config & 3];
  const frames = [1, 2, 2, (packet[1] ?? 0) & 0x3f][toc & 3];
  return (frame ?? 960) * (frames ?? 1);
}

const SERIAL = 1;

function page(packet: Uint8Array, sequence: number, samples: bigint, flags: number): Uint8Array {
  const segments = Math.floor(packet.length / 255) + 1;
  const bytes = new Uint8Array(27 + segments + packet.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("OggS"));
  bytes[5] = flags;
  view.setBigUint64(6, samples, true);
  view.setUint32(14, SERIAL, true);
  view.setUint32(18, sequence, true);
  bytes[26] = segments;
  bytes.fill(255, 27, 27 + segments - 1);
  bytes[27 + segments - 1] = packet.length % 255;
  bytes.set(packet, 27 + segments);
  view.setUint32(22, crc(bytes), true);
  return bytes;
}

/** Ogg's CRC: polynomial 0x04c11db7, not reflected and not inverted. */
function crc(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum ^ (byte << 24)) >>> 0;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x80000000 ? 0x04c11db7 : 0)) >>> 0;
  }
  return sum;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
