// Content that carries a file. Thumbnails and waveforms need native libraries: without them the recipient's phone shows the file
// once it has fetched it. null keeps the library from trying.
import type { AnyMessageContent } from "baileys";
import type { MediaRef, SendContent } from "../../../../../src/protocol/content.ts";
import type { Outcome } from "../../../../../src/protocol/failures.ts";
import { convertFile, type Conversion } from "../convert-file.ts";
import { isAnimatedWebp, type Measures } from "../image-measures.ts";
import { fetchFile, keptMedia, type OutgoingFile } from "../outgoing-file.ts";
import { sketched, type DraftParts, type Sketch } from "./sketch.ts";

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;
/** Fields that the library takes and its types leave out. */
type Loose = Record<string, unknown>;

const NO_THUMBNAIL = { jpegThumbnail: null };

export const image = ({ media, caption, view_once }: Of<"image">, parts: DraftParts) =>
  withFile(parts, media, (file, upload) => ({
    image: upload,
    ...NO_THUMBNAIL,
    ...size(file.measures),
    mimetype: media.mimetype,
    ...captioned(caption),
    viewOnce: view_once,
  }));

export const video = ({ media, caption, view_once, as_note, as_gif }: Of<"video">, parts: DraftParts) =>
  withFile(parts, media, (_file, upload) => ({
    video: upload,
    ...NO_THUMBNAIL,
    mimetype: media.mimetype,
    ...captioned(caption),
    viewOnce: view_once,
    gifPlayback: as_gif,
    ...(as_note && { ptv: true }),
  }));

export const audio = ({ media }: Of<"audio">, parts: DraftParts) =>
  withFile(parts, media, (_file, upload) => ({ audio: upload, mimetype: media.mimetype, ptt: false }));

const VOICE = "audio/ogg; codecs=opus";

/** Phones play voice notes in one format only. */
export const voice = ({ media, convert }: Of<"voice">, parts: DraftParts) => {
  const isVoice = media.mimetype.startsWith("audio/ogg");
  return withFile(
    parts,
    media,
    (_file, upload, converted) => ({ audio: upload, mimetype: isVoice || converted ? VOICE : media.mimetype, ptt: true, waveform: null }),
    isVoice || !convert ? null : "voice",
  );
};

export const document = ({ media, caption }: Of<"document">, parts: DraftParts) =>
  withFile(parts, media, (_file, upload) => ({
    document: upload,
    mimetype: media.mimetype,
    fileName: media.filename ?? "file",
    ...captioned(caption),
  }));

export const sticker = ({ media }: Of<"sticker">, parts: DraftParts) =>
  withFile(
    parts,
    media,
    (file, upload) => ({ sticker: upload, mimetype: "image/webp", isAnimated: isAnimatedWebp(file.head), ...size(file.measures) }),
    media.mimetype === "image/webp" ? null : "sticker",
  );

async function withFile(
  parts: DraftParts,
  media: MediaRef,
  form: (file: OutgoingFile, upload: unknown, converted: boolean) => Loose,
  conversion: Conversion | null = null,
): Promise<Outcome<Sketch>> {
  const fetched = await fetchFile(parts.ctx, media);
  if (!fetched.ok) return fetched;
  const file = conversion === null ? fetched : await convertFile(fetched.value, conversion);
  if (!file.ok) return file;
  const { spool, measures } = file.value;
  const content = form(file.value, await file.value.upload(), file.value !== fetched.value) as unknown as AnyMessageContent;
  return sketched(content, { media: keptMedia(media, measures), discard: () => spool.discard() });
}

const captioned = (caption: string | null): Loose => (caption ? { caption } : {});
const size = (measures: Measures | null): Loose => measures ?? {};
