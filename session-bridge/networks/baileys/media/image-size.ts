// Width and height of a picture: with them the recipient's phone reserves the right space. No pixel is decoded.
import { fileTypeFromBuffer, fileTypeFromFile } from "file-type";
import { loadSharp } from "./decode-picture.ts";

/** The only formats given to libvips, whoever sent the file: it would also read formats that refer to other files (SVG). */
const FORMATS: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

export type ImageInfo = { mimetype: string; width: number; height: number; animated: boolean };

/** Bytes or a path; null for anything but these four formats, and for files that cannot be read. */
export async function readImage(source: Buffer | string): Promise<ImageInfo | null> {
  try {
    const type = await (typeof source === "string" ? fileTypeFromFile(source) : fileTypeFromBuffer(source));
    if (type === undefined || !FORMATS.has(type.mime)) return null;
    const sharp = await loadSharp();
    const { width, height, pages = 1 } = await sharp(source).metadata();
    return { mimetype: type.mime, width, height, animated: pages > 1 };
  } catch {
    return null;
  }
}
