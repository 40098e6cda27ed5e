import * as z from "#root/src/http/openapi/zod.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import type { RequestFiles } from "../../http/request-files.ts";
import { EXAMPLE } from "../example-values.ts";
import { CONVERTED_FILE_FAILURES, FILE_FAILURES } from "../failure-lists.ts";
import { caption, flag, messageText, optionalText, text } from "../fields.ts";
import { givenFile, media, namedMedia } from "../file-field.ts";
import { sendForm, sendRoute } from "./send-route.ts";

const TO = { to: EXAMPLE.contact } as const;

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

export const imageForm = sendForm({
  kind: "image",
  body: { media, caption, view_once: flag(false) },
  content: ({ media: file, caption: captionText, view_once }, files) => ({
    media: files.add(givenFile(file, FILE_RULES.image)),
    caption: captionText,
    view_once,
  }),
});

export const videoForm = sendForm({
  kind: "video",
  body: { media, caption, view_once: flag(false), as_note: flag(false), as_gif: flag(false), convert: flag(true) },
  content: ({ media: file, caption: captionText, convert, view_once, as_note, as_gif }, files) => ({
    media: files.add(givenFile(file, convert ? FILE_RULES.convertibleVideo : FILE_RULES.video)),
    caption: captionText,
    view_once,
    as_note,
    as_gif,
  }),
});

export const sendRoutes = [
  sendRoute({
    path: "/messages/text",
    name: "sendText",
    summary: {
      en: "Sends a text and returns once WhatsApp has acknowledged it",
      pt: "Envia um texto e responde quando o WhatsApp confirma",
    },
    description: {
      en: "Returns once WhatsApp has acknowledged the message. After a 424, the message may have been sent. Before you retry, call `GET …/messages/{messageId}` with the `message_id` from the error's details.",
      pt: "Responde quando o WhatsApp confirma a mensagem. Depois de um 424, ela pode ter sido enviada. Antes de repetir, consulte `GET …/messages/{messageId}` com o `message_id` dos detalhes do erro.",
    },
    failures: FILE_FAILURES,
    example: { body: { ...TO, text: "Olá!" } },
    ...textForm,
  }),
  sendRoute({
    path: "/messages/image",
    name: "sendImage",
    summary: { en: "Sends an image (JPEG, PNG, WebP)", pt: "Envia uma imagem (JPEG, PNG, WebP)" },
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.image, caption: "Um ponto" } },
    ...imageForm,
  }),
  sendRoute({
    path: "/messages/video",
    name: "sendVideo",
    summary: { en: "Sends a video (MP4, 3GP; others are converted)", pt: "Envia um vídeo (MP4, 3GP; outros são convertidos)" },
    failures: CONVERTED_FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.video, caption: "Assista" } },
    ...videoForm,
  }),
  sendRoute({
    path: "/messages/audio",
    kind: "audio",
    name: "sendAudio",
    summary: { en: "Sends an audio file (MP3, M4A, AAC, OGG)", pt: "Envia um áudio (MP3, M4A, AAC, OGG)" },
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.audio } },
    body: { media },
    content: ({ media: file }, files) => ({ media: files.add(givenFile(file, FILE_RULES.audio)) }),
  }),
  sendRoute({
    path: "/messages/voice",
    kind: "voice",
    name: "sendVoice",
    summary: {
      en: "Sends a voice message (OGG Opus; others are converted)",
      pt: "Envia uma mensagem de voz (OGG Opus; outros são convertidos)",
    },
    failures: CONVERTED_FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.voice } },
    body: { media, convert: flag(true) },
    content: ({ media: file, convert }, files) => ({
      media: files.add(givenFile(file, convert ? FILE_RULES.convertibleVoice : FILE_RULES.voice)),
      convert,
    }),
  }),
  sendRoute({
    path: "/messages/document",
    kind: "document",
    name: "sendDocument",
    summary: { en: "Sends a document of any type", pt: "Envia um documento de qualquer tipo" },
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: { base64: "T2zDoSE=", mimetype: "text/plain", filename: "ola.txt" } } },
    body: { media: namedMedia, caption },
    content: ({ media: file, caption: captionText }, files) => ({
      media: files.add(givenFile(file, FILE_RULES.document)),
      caption: captionText,
    }),
  }),
  sendRoute({
    path: "/messages/sticker",
    kind: "sticker",
    name: "sendSticker",
    summary: {
      en: "Sends a sticker (WebP; PNG and JPEG are converted to 512×512)",
      pt: "Envia uma figurinha (WebP; PNG e JPEG são convertidos para 512×512)",
    },
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.sticker } },
    body: { media },
    content: ({ media: file }, files) => ({ media: files.add(givenFile(file, FILE_RULES.sticker)) }),
  }),
];
