// Converts a picture to a sticker: 512 × 512 WebP on a transparent background (docs/apis.md, "Sending").

const SIDE_PIXELS = 512;
/** Not every phone shows larger ones; quality is reduced first. */
const MAX_BYTES = 100 * 1024;
const QUALITIES = [80, 60, 40, 20];
/** A small file may decompress to an enormous picture. */
const MAX_PIXELS = 50_000_000;

/** Bytes or a path. Null when it is no readable picture. */
export async function stickerPicture(source: Buffer | string): Promise<Buffer | null> {
  // Loaded on first use: most sessions never need it.
  const { default: sharp } = await import("sharp");
  try {
    const square = await sharp(source, { limitInputPixels: MAX_PIXELS })
      .autoOrient()
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .ensureAlpha()
      .raw()
      .toBuffer();
    for (const quality of QUALITIES) {
      const sticker = await sharp(square, { raw: { width: SIDE_PIXELS, height: SIDE_PIXELS, channels: 4 } })
        .webp({ quality })
        .toBuffer();
      if (sticker.length <= MAX_BYTES || quality === QUALITIES.at(-1)) return sticker;
    }
    return null;
  } catch {
    return null;
  }
}
