// The file of a message: its bytes, Base64 in JSON, or a link. A file of any size is streamed.
import { z } from "@hono/zod-openapi";
import { streamBase64Json } from "../../http/base64-stream.ts";
import { englishFailure } from "../../http/english-failure.ts";
import { fileHeaders, INERT } from "../../http/file-headers.ts";
import { openMedia } from "../../services/media/open.ts";
import { instanceId } from "../account/fields.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { chatId, messageId } from "../fields.ts";
import { route } from "../route.ts";
import { linkTo, MediaAnswer, MESSAGE_PATH, messageOf } from "./messages.ts";

export const accountMediaRoute = route({
  name: "getMessageMedia",
  effect: "read",
  method: "get",
  path: `/instances/{instanceId}${MESSAGE_PATH}/media`,
  scope: "read",
  operation: "messages.media",
  counted: true,
  noStore: true,
  binary: true,
  summary: { en: "The file of a message: its bytes, Base64 or a link", pt: "O arquivo de uma mensagem: os bytes, Base64 ou um link" },
  description: {
    en: "A file that is no longer stored is fetched from the network again, as long as the network or the phone has it.",
    pt: "Um arquivo que não está mais guardado é buscado de novo na rede, enquanto a rede ou o telefone o tiver.",
  },
  failures: [...NETWORK_FAILURES, "message_not_found", "media_expired"],
  params: z.object({ instanceId, chatId, messageId }),
  query: z.object({ format: z.enum(["binary", "base64", "url"]).default("binary") }),
  input: messageOf,
  response: MediaAnswer,
  render: async (file, { c, appUrl, now }, { query }) => {
    if (query.format === "url") return linkTo(file, appUrl);
    const { mimetype, filename } = file;
    const media = await openMedia(c.env.MEDIA, file.token, now);
    if (media === null) return englishFailure(c, "media_expired");
    if (query.format === "base64") {
      const body = streamBase64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(mimetype)}}}`);
      return c.body(body, 200, { ...INERT, "Content-Type": "application/json" });
    }
    return c.body(media.body, 200, { ...fileHeaders(mimetype, filename, { shown: false }), "Content-Length": String(media.sizeBytes) });
  },
});
