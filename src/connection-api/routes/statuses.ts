import { z } from "@hono/zod-openapi";
import { argbOf } from "../../domain/colors.ts";
import { FILE_RULES } from "../../domain/media/file-rules.ts";
import { renderSent } from "../render/sent.ts";
import { renderStatusPost } from "../render/status.ts";
import { route } from "../route.ts";
import { caption, done, limit, messageId, ok, text } from "../schemas/fields.ts";
import { givenFile, media } from "../schemas/media.ts";
import { SendResult } from "../schemas/send.ts";
import { backgroundColor, recipients, StatusPost } from "../schemas/status.ts";

const tag = "status";
const TEXT_CHARACTERS = 700;

/** Posts of files have no look of their own. */
const NO_LOOK = { background: null, font: null };

export const statusRoutes = [
  route({
    method: "post",
    path: "/status/text",
    operation: "statuses.post",
    tag,
    summary: "Publishes a text as status",
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
    response: SendResult,
    render: renderSent,
  }),
  route({
    method: "post",
    path: "/status/image",
    operation: "statuses.post",
    tag,
    summary: "Publishes an image as status",
    body: z.strictObject({ media, caption, recipients }),
    input: ({ body, files }) => ({
      content: { kind: "image", media: files.add(givenFile(body.media, FILE_RULES.image)), caption: body.caption, view_once: false },
      ...NO_LOOK,
      recipients: body.recipients ?? null,
    }),
    response: SendResult,
    render: renderSent,
  }),
  route({
    method: "post",
    path: "/status/video",
    operation: "statuses.post",
    tag,
    summary: "Publishes a video as status",
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
      ...NO_LOOK,
      recipients: body.recipients ?? null,
    }),
    response: SendResult,
    render: renderSent,
  }),
  route({
    method: "post",
    path: "/status/voice",
    operation: "statuses.post",
    tag,
    summary: "Publishes a voice message as status",
    body: z.strictObject({ media, background_color: backgroundColor.nullish(), recipients }),
    input: ({ body, files }) => ({
      content: { kind: "voice", media: files.add(givenFile(body.media, FILE_RULES.convertibleVoice)), convert: true },
      background: body.background_color === null || body.background_color === undefined ? null : argbOf(body.background_color),
      font: null,
      recipients: body.recipients ?? null,
    }),
    response: SendResult,
    render: renderSent,
  }),
  route({
    method: "get",
    path: "/status/received",
    operation: "statuses.received",
    tag,
    summary: "The status posts of contacts in the last 24 hours",
    query: z.object({ limit }),
    input: ({ query }) => ({ limit: query.limit }),
    response: z.object({ data: z.array(StatusPost) }),
    render: ({ items }, rendering) => ({ data: items.map((item) => renderStatusPost(item, rendering)) }),
  }),
  route({
    method: "delete",
    path: "/status/{messageId}",
    operation: "statuses.remove",
    tag,
    summary: "Deletes an own status post for everybody",
    params: z.object({ messageId }),
    input: (given) => ({ message_id: given.params.messageId }),
    response: ok,
    render: done,
  }),
];
