// Width and height from a picture's first bytes: with them the recipient's phone reserves the right room. No picture is decoded.

export type Measures = { width: number; height: number };

/** PNG, JPEG, GIF and WebP; null for anything else. */
export function measure(head: Buffer): Measures | null {
  try {
    return png(head) ?? gif(head) ?? webp(head) ?? jpeg(head);
  } catch (error) {
    // Cut off before its measures.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function isAnimatedWebp(head: Buffer): boolean {
  const extended = isWebp(head) && head.toString("latin1", 12, 16) === "VP8X";
  return extended && ((head[20] ?? 0) & 0x02) !== 0;
}

function png(head: Buffer): Measures | null {
  if (head.toString("latin1", 1, 4) !== "PNG") return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gif(head: Buffer): Measures | null {
  if (head.toString("latin1", 0, 3) !== "GIF") return null;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function isWebp(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
}

function webp(head: Buffer): Measures | null {
  if (!isWebp(head)) return null;
  switch (head.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

// Segments follow each other with their lengths; the measures are in the start-of-frame.
function jpeg(head: Buffer): Measures | null {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < head.length) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (startOfFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}
