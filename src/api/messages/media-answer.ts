// The file of a message as an answer: its bytes, Base64 in JSON, or a link. A file of any size is streamed.
import { z } from "@hono/zod-openapi";
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import { streamBase64Json } from "../../http/base64-stream.ts";
import { englishFailure } from "../../http/english-failure.ts";
import { fileHeaders, INERT } from "../../http/file-headers.ts";
import { isoOfMs } from "../../http/times.ts";
import type { MediaAnswer } from "../chats/messages.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { openMedia } from "../../services/media/open.ts";
import { appUrlOf, type RequestContext } from "../account/request-context.ts";

export const MediaFormat = z.enum(["binary", "base64", "url"]).default("binary");

export async function answerMedia(
  context: RequestContext,
  { token, mimetype, filename, expires_at }: OperationOutput<"messages.media">,
  format: z.output<typeof MediaFormat>,
): Promise<Response> {
  const { c } = context;
  if (format === "url") {
    const link = { url: mediaLink(appUrlOf(context), token, mimetype), mimetype, expires_at: isoOfMs(expires_at) };
    return c.json({ data: link } satisfies z.input<typeof MediaAnswer>);
  }
  const media = await openMedia(c.env.MEDIA, token, context.now);
  if (media === null) return englishFailure(c, "media_expired");
  if (format === "base64") {
    const body = streamBase64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(mimetype)}}}`);
    return c.body(body, 200, { ...INERT, "Content-Type": "application/json" });
  }
  return c.body(media.body, 200, { ...fileHeaders(mimetype, filename, { shown: false }), "Content-Length": String(media.sizeBytes) });
}
