// Link previews come from strangers, so their texts are cleaned and all sizes are limited. The gateway never fetches the page.
import type { proto } from "baileys";
import { INVISIBLE } from "@gateway/protocol/files.ts";
import type { LinkPreview } from "@gateway/protocol/message.ts";

const MAX_TEXT_CHARACTERS = 65_536;
const MAX_URL_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 200;
const MAX_DESCRIPTION_CHARACTERS = 300;
const MAX_THUMBNAIL_BYTES = 6 * 1024;

/** Null if there is no title, or if the text does not contain the described link, so that a preview cannot lead elsewhere. */
export function linkPreviewOf(message: proto.Message.IExtendedTextMessage): LinkPreview | null {
  const { text, matchedText, title, description, jpegThumbnail } = message;
  const url = matchedText && isShownIn(text, matchedText) ? webAddress(matchedText) : null;
  const shownTitle = oneLine(title, MAX_TITLE_CHARACTERS);
  if (url === null || shownTitle === null) return null;
  return { url, title: shownTitle, description: oneLine(description, MAX_DESCRIPTION_CHARACTERS), thumbnail: thumbnailOf(jpegThumbnail) };
}

/** Limits the lengths first, because senders choose both texts, and the search time grows with the product of their lengths. */
function isShownIn(text: string | null | undefined, written: string): boolean {
  return written.length <= MAX_URL_CHARACTERS && (text ?? "").slice(0, MAX_TEXT_CHARACTERS).includes(written);
}

/** People often write an address without its scheme. Any other scheme then makes the address invalid. */
function webAddress(written: string): string | null {
  const url = /^https?:\/\//i.test(written) ? written : `https://${written}`;
  return URL.canParse(url) ? url : null;
}

function oneLine(given: string | null | undefined, most: number): string | null {
  // Limits the work on a huge text. Most characters are one or two UTF-16 code units.
  const visible = (given ?? "")
    .slice(0, most * 4)
    .toWellFormed()
    .replaceAll(/\s+/g, " ")
    .replaceAll(INVISIBLE, "")
    .trim();
  return visible === "" ? null : [...visible].slice(0, most).join("");
}

function thumbnailOf(bytes: Uint8Array | null | undefined): string | null {
  if (!bytes || bytes.length > MAX_THUMBNAIL_BYTES) return null;
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
  return isJpeg ? Buffer.from(bytes).toString("base64") : null;
}
