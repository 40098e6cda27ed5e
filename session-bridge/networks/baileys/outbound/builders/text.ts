import { prepareWAMessageMedia, type WAUrlInfo } from "baileys";
import type { SendContent } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { fetchFile, UPLOAD_IDLE_TIMEOUT_MS } from "../../media/outgoing-file.ts";
import { built, type BuildContext, type BuiltContent } from "./message-builder.ts";

type Text = Extract<SendContent, { kind: "text" }>;
type Preview = NonNullable<Text["preview"]>;

const INLINE_BYTES = 48 * 1024;

export async function text({ text: body, preview }: Text, context: BuildContext): Promise<Outcome<BuiltContent>> {
  if (preview === null) return built({ text: body, linkPreview: null });
  const linkPreview = await previewOf(preview, context);
  return linkPreview.ok ? built({ text: body, linkPreview: linkPreview.value }) : linkPreview;
}

async function previewOf({ url, title, description, image }: Preview, { ctx }: BuildContext): Promise<Outcome<WAUrlInfo>> {
  const plain: WAUrlInfo = { "canonical-url": url, "matched-text": url, title, ...(description !== null && { description }) };
  if (image === null) return { ok: true, value: plain };
  const file = await fetchFile(ctx, image);
  if (!file.ok) return file;
  try {
    const { bytes } = file.value.spool;
    const inline = bytes !== null && bytes.length <= INLINE_BYTES && image.mimetype === "image/jpeg" ? bytes : null;
    const { imageMessage } = await prepareWAMessageMedia(
      // null keeps the library from generating a thumbnail.
      { image: await file.value.upload(), jpegThumbnail: null as unknown as string },
      { upload: ctx.sock.waUploadToServer, mediaUploadTimeoutMs: UPLOAD_IDLE_TIMEOUT_MS, mediaTypeOverride: "thumbnail-link" },
    );
    const { image: size } = file.value;
    const large = imageMessage && { ...imageMessage, ...(size && { width: size.width, height: size.height }) };
    return { ok: true, value: { ...plain, ...(inline && { jpegThumbnail: inline }), ...(large && { highQualityThumbnail: large }) } };
  } catch {
    return fail("unavailable");
  } finally {
    await file.value.spool.discard();
  }
}
