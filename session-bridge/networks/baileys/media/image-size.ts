// Reads an image's width and height, so that the recipient's phone reserves the right space. No pixels are decoded.
import { fileTypeFromBuffer, fileTypeFromFile } from "file-type";
import { loadSharp } from "./decode-picture.ts";

/** The only formats passed to libvips, which also supports formats that refer to other files, such as SVG. */
const FORMATS: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

export type ImageInfo = { mimetype: string; width: number; height: number; animated: boolean };

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
