// Builds content with a file. Fields set to null keep the library from generating thumbnails and waveforms.
import type { AnyMessageContent } from "baileys";
import type { MediaRef, SendContent } from "@gateway/protocol/content.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { convertFile, type Conversion } from "../../media/convert-file.ts";
import { conversionsOf, fetchFile, storedMediaOf, type OutgoingFile } from "#bridge/networks/baileys/media/outgoing-file.ts";
import type { ImageInfo } from "../../media/image-size.ts";
import { built, type BuildContext, type BuiltContent } from "./content.ts";

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;
type Loose = Record<string, unknown>;

const NO_THUMBNAIL = { jpegThumbnail: null };

const VOICE = /^audio\/ogg\s*;\s*codecs="?opus/i;
const NEEDS_CONVERTING = /^video\/(?!mp4|3gpp)/i;

export const image = ({ media, caption, view_once }: Of<"image">, context: BuildContext) =>
  withFile(context, media, (file, upload) => ({
    image: upload,
    ...NO_THUMBNAIL,
    ...sizeOf(file.image),
    mimetype: media.mimetype,
    ...withCaption(caption),
    viewOnce: view_once,
  }));

/** The API has already rejected files that need a conversion the caller did not allow. */
export const video = ({ media, caption, view_once, as_note, as_gif }: Of<"video">, context: BuildContext) =>
  withFile(
    context,
    media,
    (_file, upload, mimetype) => ({
      video: upload,
      ...NO_THUMBNAIL,
      mimetype,
      ...withCaption(caption),
      viewOnce: view_once,
      gifPlayback: as_gif,
      ...(as_note && { ptv: true }),
    }),
    NEEDS_CONVERTING.test(media.mimetype) ? "video" : null,
  );

export const audio = ({ media }: Of<"audio">, context: BuildContext) =>
  withFile(context, media, (_file, upload) => ({ audio: upload, mimetype: media.mimetype, ptt: false }));

/** Phones play voice notes in one format only, so other formats are converted. */
export const voice = ({ media, convert }: Of<"voice">, context: BuildContext) =>
  withFile(
    context,
    media,
    // The library sets the colour only when it computes the waveform.
    (_file, upload, mimetype) => ({ audio: upload, mimetype, ptt: true, waveform: null, ...backgroundColor(context) }),
    !convert || VOICE.test(media.mimetype) ? null : "voice",
  );

export const document = ({ media, caption }: Of<"document">, context: BuildContext) =>
  withFile(context, media, (_file, upload) => ({
    document: upload,
    mimetype: media.mimetype,
    fileName: media.filename ?? "file",
    ...withCaption(caption),
  }));

export const sticker = ({ media }: Of<"sticker">, context: BuildContext) =>
  withFile(
    context,
    media,
    (file, upload, mimetype) => ({ sticker: upload, mimetype, isAnimated: file.image?.animated === true, ...sizeOf(file.image) }),
    media.mimetype === "image/webp" ? null : "sticker",
  );

async function withFile(
  context: BuildContext,
  media: MediaRef,
  form: (file: OutgoingFile, upload: unknown, mimetype: string) => Loose,
  conversion: Conversion | null = null,
): Promise<Outcome<BuiltContent>> {
  const fetched = await fetchFile(context.ctx, media);
  if (!fetched.ok) return fetched;
  const outgoing =
    conversion === null
      ? { ok: true as const, value: { file: fetched.value, media } }
      : await converted(context, fetched.value, media, conversion);
  if (!outgoing.ok) return outgoing;
  const { file } = outgoing.value;
  try {
    const content = form(file, await file.upload(), outgoing.value.media.mimetype) as unknown as AnyMessageContent;
    return built(content, { media: storedMediaOf(outgoing.value.media, file.image), discard: () => file.spool.discard() });
  } catch (error) {
    await file.spool.discard();
    throw error;
  }
}

/** Also returns a reference to the converted file, so that the stored message shows it instead of the original. */
async function converted(
  { ctx, isWanted }: BuildContext,
  given: OutgoingFile,
  { filename }: MediaRef,
  conversion: Conversion,
): Promise<Outcome<{ file: OutgoingFile; media: MediaRef }>> {
  const made = await conversionsOf(ctx.session).run(() => convertFile(given, conversion, isWanted), isWanted);
  if (!made.ok) {
    await given.spool.discard();
    return made;
  }
  const { file, mimetype } = made.value;
  const { size } = file.spool;
  const stored = await ctx.media.upload(file.spool.body(), { mimetype, filename, sha256: null, size });
  if (stored.ok) return { ok: true, value: { file, media: { token: stored.value.token, mimetype, filename, size } } };
  await file.spool.discard();
  return stored;
}

const backgroundColor = ({ request: { status } }: BuildContext): Loose =>
  typeof status?.background === "number" ? { backgroundArgb: status.background } : {};
const withCaption = (caption: string | null): Loose => (caption ? { caption } : {});
const sizeOf = (image: ImageInfo | null): Loose => (image === null ? {} : { width: image.width, height: image.height });
