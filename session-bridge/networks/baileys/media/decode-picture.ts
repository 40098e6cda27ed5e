// Decodes and re-encodes stickers and profile pictures (docs/use/apis.md, "Sending"). Files may be crafted to exhaust the decoder.
import { Semaphore } from "async-mutex";
import type { Sharp, SharpConstructor } from "sharp";

const STICKER_PIXELS = 512;
/** Some phones do not show larger stickers, so the quality is reduced until the file is small enough. */
const STICKER_MAX_BYTES = 100 * 1024;
const QUALITIES = [80, 60, 40, 20];

const PROFILE_PIXELS = 640;
const PROFILE_QUALITY = 50;

/** A small file may decompress to an enormous picture. */
const MAX_PIXELS = 50_000_000;
const TIMEOUT_SECONDS = 20;
const slots = new Semaphore(2);

/** Returns a 512 × 512 WebP on a transparent background, or null if the picture is unreadable. `source` is bytes or a path. */
export async function stickerPicture(source: Buffer | string): Promise<Buffer | null> {
  const square = await decoded(source, (picture) =>
    picture
      .autoOrient()
      .resize(STICKER_PIXELS, STICKER_PIXELS, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .ensureAlpha()
      .raw(),
  );
  if (square === null) return null;
  const sharp = await loadSharp();
  for (const quality of QUALITIES) {
    const sticker = await sharp(square, { raw: { width: STICKER_PIXELS, height: STICKER_PIXELS, channels: 4 } })
      .webp({ quality })
      .toBuffer();
    if (sticker.length <= STICKER_MAX_BYTES || quality === QUALITIES.at(-1)) return sticker;
  }
  return null;
}

/** Returns the square JPEG that the network requires, or null if the picture is unreadable. `source` is bytes or a path. */
export function profilePicture(source: Buffer | string): Promise<Buffer | null> {
  return decoded(source, (picture) => picture.resize(PROFILE_PIXELS, PROFILE_PIXELS).jpeg({ quality: PROFILE_QUALITY }));
}

async function decoded(source: Buffer | string, form: (picture: Sharp) => Sharp): Promise<Buffer | null> {
  const sharp = await loadSharp();
  const picture = sharp(source, { limitInputPixels: MAX_PIXELS }).timeout({ seconds: TIMEOUT_SECONDS });
  return slots.runExclusive(() => form(picture).toBuffer()).catch(() => null);
}

let loaded: Promise<SharpConstructor> | null = null;

/** Takes 20 MB, so it is loaded on first use. Loaders for documents and vector graphics are blocked. */
export function loadSharp(): Promise<SharpConstructor> {
  loaded ??= import("sharp").then(({ default: sharp }) => {
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadNsgif"] });
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loaded;
}
