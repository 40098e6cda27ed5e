import { documented } from "#root/src/http/openapi/documentation.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { EXAMPLE } from "../example-values.ts";
import { CONVERTED_FILE_FAILURES, FILE_FAILURES } from "../failure-lists.ts";
import { caption, flag } from "../fields.ts";
import { givenFile, media, namedMedia } from "../file-field.ts";
import { sendForm, sendRoute } from "./send-route.ts";

const TO = { to: EXAMPLE.contact } as const;

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

export const fileSendRoutes = [
  sendRoute({
    path: "/messages/image",
    name: "sendImage",
    summary: documented({ en: "Send an image", pt: "Envia uma imagem" }),
    description: documented({ en: "A JPEG, PNG or WebP file.", pt: "Um arquivo JPEG, PNG ou WebP." }),
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.image, caption: "Um ponto" } },
    ...imageForm,
  }),
  sendRoute({
    path: "/messages/video",
    name: "sendVideo",
    summary: documented({ en: "Send a video", pt: "Envia um vídeo" }),
    description: documented({
      en: "An MP4 or 3GP file. Other formats are converted.",
      pt: "Um arquivo MP4 ou 3GP. Outros formatos são convertidos.",
    }),
    failures: CONVERTED_FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.video, caption: "Assista" } },
    ...videoForm,
  }),
  sendRoute({
    path: "/messages/audio",
    kind: "audio",
    name: "sendAudio",
    summary: documented({ en: "Send an audio file", pt: "Envia um áudio" }),
    description: documented({ en: "An MP3, M4A, AAC or OGG file.", pt: "Um arquivo MP3, M4A, AAC ou OGG." }),
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.audio } },
    body: { media },
    content: ({ media: file }, files) => ({ media: files.add(givenFile(file, FILE_RULES.audio)) }),
  }),
  sendRoute({
    path: "/messages/voice",
    kind: "voice",
    name: "sendVoice",
    summary: documented({ en: "Send a voice message", pt: "Envia uma mensagem de voz" }),
    description: documented({
      en: "An OGG Opus file. Other formats are converted.",
      pt: "Um arquivo OGG Opus. Outros formatos são convertidos.",
    }),
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
    summary: documented({ en: "Send a document", pt: "Envia um documento" }),
    description: documented({ en: "A file of any type.", pt: "Um arquivo de qualquer tipo." }),
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
    summary: documented({ en: "Send a sticker", pt: "Envia uma figurinha" }),
    description: documented({
      en: "A WebP file. PNG and JPEG are converted to 512×512.",
      pt: "Um arquivo WebP. PNG e JPEG são convertidos para 512×512.",
    }),
    failures: FILE_FAILURES,
    example: { body: { ...TO, media: EXAMPLE.sticker } },
    body: { media },
    content: ({ media: file }, files) => ({ media: files.add(givenFile(file, FILE_RULES.sticker)) }),
  }),
];
