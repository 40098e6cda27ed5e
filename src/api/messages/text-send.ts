import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import type { RequestFiles } from "#root/src/http/request-files.ts";
import { EXAMPLE } from "../example-values.ts";
import { FILE_FAILURES } from "../failure-lists.ts";
import { flag, messageText, optionalText, text } from "../fields.ts";
import { givenFile, media } from "../file-field.ts";
import { sendForm, sendRoute } from "./send-route.ts";

export const LinkPreview = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).max(2048),
    title: text(200),
    description: optionalText(500),
    image: media.nullish(),
  })
  .openapi("LinkPreview");

function previewOf({ url, title, description, image }: z.output<typeof LinkPreview>, files: RequestFiles) {
  const file = image === null || image === undefined ? null : files.add(givenFile(image, FILE_RULES.image));
  return { url, title, description, image: file };
}

export const textForm = sendForm({
  kind: "text",
  body: { text: messageText, link_preview: flag(true), preview: LinkPreview.nullish() },
  content: (body, files) => {
    const shown = body.link_preview ? (body.preview ?? null) : null;
    return { text: body.text, preview: shown === null ? null : previewOf(shown, files) };
  },
});

export const textSendRoute = sendRoute({
  path: "/messages/text",
  name: "sendText",
  summary: documented({ en: "Send a text", pt: "Envia um texto" }),
  description: documented({
    en: "Returns once WhatsApp has acknowledged the message. After a 424, the message may have been sent. Before you retry, call `GET …/messages/{messageId}` with the `message_id` from the error's details.",
    pt: "Responde quando o WhatsApp confirma a mensagem. Depois de um 424, ela pode ter sido enviada. Antes de repetir, consulte `GET …/messages/{messageId}` com o `message_id` dos detalhes do erro.",
  }),
  failures: FILE_FAILURES,
  example: { body: { to: EXAMPLE.contact, text: "Olá!" } },
  ...textForm,
});
