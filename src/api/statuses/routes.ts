import * as z from "#root/src/http/openapi/zod.ts";
import { argbOf } from "@gateway/domain/colors.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { done, list } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { CONVERTED_FILE_FAILURES, FILE_FAILURES, SEND_FAILURES } from "../failure-lists.ts";
import { caption, limit, messageId, text, phone } from "../fields.ts";
import { givenFile, media } from "../file-field.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import { problem } from "#root/src/http/problems.ts";

const recipients = z
  .array(phone)
  .min(1)
  .max(2_000)
  .nullish()
  .openapi(
    says({
      en: "The people who can see it; absent: all saved contacts (up to 2,000)",
      pt: "Quem pode ver; ausente: todos os contatos salvos (até 2.000)",
    }),
  );

const COLOR = /^#[0-9a-fA-F]{6}$/;

const backgroundColor = z
  .string()
  .refine((given) => COLOR.test(given), problem("not_a_color"))
  .openapi({ pattern: COLOR.source, example: "#1F7A5C" });

const POST = [...SEND_FAILURES, "content_differs", "invalid_number"] as const;
const MEDIA = [...POST, ...FILE_FAILURES] as const;
const CONVERTED_MEDIA = [...POST, ...CONVERTED_FILE_FAILURES] as const;

const TEXT_CHARACTERS = 700;

const posted = (type: string) => ({ chat_id: "status@broadcast", to: null, to_resolved: null, type });

const NO_STYLE = { background: null, font: null };

const statusRoutes = (views: Views) => [
  route({
    method: "post",
    path: "/status/text",
    name: "postStatusText",
    effect: "change",
    operation: "statuses.post",
    summary: documented({ en: "Posts a text as status", pt: "Publica um texto no status" }),
    description: documented({ en: "Without `recipients`: all saved contacts.", pt: "Sem `recipients`: todos os contatos salvos." }),
    failures: POST,
    example: { body: { text: "Abrimos às 9h", background_color: "#1F7A5C", recipients: [EXAMPLE.contact] }, response: posted("text") },
    body: z.strictObject({
      text: text(TEXT_CHARACTERS),
      background_color: backgroundColor.default("#1F7A5C"),
      font: z.number().int().min(0).max(9).default(0),
      recipients,
    }),
    input: ({ body }) => ({
      content: { kind: "text", text: body.text, preview: null },
      background: argbOf(body.background_color),
      font: body.font,
      recipients: body.recipients ?? null,
    }),
    status: 201,
    ...views.sent,
  }),
  route({
    method: "post",
    path: "/status/image",
    name: "postStatusImage",
    effect: "change",
    operation: "statuses.post",
    summary: documented({ en: "Posts an image as status", pt: "Publica uma imagem no status" }),
    failures: MEDIA,
    example: { body: { media: EXAMPLE.image, caption: "Hoje", recipients: [EXAMPLE.contact] }, response: posted("image") },
    body: z.strictObject({ media, caption, recipients }),
    input: ({ body, files }) => ({
      content: { kind: "image", media: files.add(givenFile(body.media, FILE_RULES.image)), caption: body.caption, view_once: false },
      ...NO_STYLE,
      recipients: body.recipients ?? null,
    }),
    status: 201,
    ...views.sent,
  }),
  route({
    method: "post",
    path: "/status/video",
    name: "postStatusVideo",
    effect: "change",
    operation: "statuses.post",
    summary: documented({ en: "Posts a video as status", pt: "Publica um vídeo no status" }),
    failures: CONVERTED_MEDIA,
    example: { body: { media: EXAMPLE.video, recipients: [EXAMPLE.contact] }, response: posted("video") },
    body: z.strictObject({ media, caption, recipients }),
    input: ({ body, files }) => ({
      content: {
        kind: "video",
        media: files.add(givenFile(body.media, FILE_RULES.convertibleVideo)),
        caption: body.caption,
        view_once: false,
        as_note: false,
        as_gif: false,
      },
      ...NO_STYLE,
      recipients: body.recipients ?? null,
    }),
    status: 201,
    ...views.sent,
  }),
  route({
    method: "post",
    path: "/status/voice",
    name: "postStatusVoice",
    effect: "change",
    operation: "statuses.post",
    summary: documented({ en: "Posts a voice message as status", pt: "Publica uma mensagem de voz no status" }),
    failures: CONVERTED_MEDIA,
    example: { body: { media: EXAMPLE.voice, recipients: [EXAMPLE.contact] }, response: posted("voice") },
    body: z.strictObject({ media, background_color: backgroundColor.nullish(), recipients }),
    input: ({ body, files }) => ({
      content: { kind: "voice", media: files.add(givenFile(body.media, FILE_RULES.convertibleVoice)), convert: true },
      background: body.background_color === null || body.background_color === undefined ? null : argbOf(body.background_color),
      font: null,
      recipients: body.recipients ?? null,
    }),
    status: 201,
    ...views.sent,
  }),
  route({
    method: "get",
    path: "/status/received",
    name: "listReceivedStatuses",
    effect: "read",
    operation: "statuses.received",
    summary: documented({ en: "The status posts of contacts in the last 24 hours", pt: "Os status dos contatos nas últimas 24 horas" }),
    failures: [],
    query: z.object({ limit }),
    input: ({ query }) => ({ limit: query.limit }),
    ...list(views.statusPost),
  }),
  route({
    method: "delete",
    path: "/status/{messageId}",
    name: "deleteStatus",
    effect: "destructive",
    operation: "statuses.remove",
    summary: documented({ en: "Deletes your own status post for everyone", pt: "Apaga um status seu para todos" }),
    failures: [...SEND_FAILURES, "message_not_found"],
    params: z.object({ messageId }),
    input: (given) => ({ message_id: given.params.messageId }),
    ...done,
  }),
];

export const statuses = (views: Views): Family => ({
  name: "status",
  title: documented({ en: "Status", pt: "Status" }),
  description: documented({ en: "Status posts, which disappear after 24 hours.", pt: "Publicações de status, que somem em 24 horas." }),
  routes: statusRoutes(views),
});
