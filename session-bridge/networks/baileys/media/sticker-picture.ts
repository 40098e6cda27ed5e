// A picture as a sticker: 512 × 512 WebP, what is left free is transparent (docs/apis.md, "Sending").

const SIDE = 512;
/** Larger ones are not shown by every phone; the quality gives way first. */
const MAX_BYTES = 100 * 1024;
const QUALITIES = [80, 60, 40, 20];
/** A small file may claim to be an enormous picture. */
const MAX_PIXELS = 50_000_000;

/** Bytes or a path. Null when it is no picture that can be read. */
export async function stickerPicture(source: Buffer | string): Promise<Buffer | null> {
  // Loaded by the first one that needs it: most sessions never do.
  const { default: sharp } = await import("sharp");
  try {
    const square = await sharp(source, { limitInputPixels: MAX_PIXELS })
      .autoOrient()
      .resize(SIDE, SIDE, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .ensureAlpha()
      .raw()
      .toBuffer();
    for (const quality of QUALITIES) {
      const sticker = await sharp(square, { raw: { width: SIDE, height: SIDE, channels: 4 } })
        .webp({ quality })
        .toBuffer();
      if (sticker.length <= MAX_BYTES || quality === QUALITIES.at(-1)) return sticker;
    }
    return null;
  } catch {
    return null;
  }
}
