import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import type { RequestExample } from "#root/src/http/openapi/surface.ts";
import { RECIPIENT_KINDS } from "@gateway/protocol/content.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { done, list } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { CONVERTED_FILE_FAILURES, FILE_FAILURES, NETWORK_FAILURES } from "../failure-lists.ts";
import { reaction } from "../fields.ts";
import { imageForm, videoForm } from "../messages/file-sends.ts";
import { textForm } from "../messages/text-send.ts";
import { CHOSEN_SEND_FAILURES, contentOf, type SendForm } from "../messages/send-route.ts";
import { type SendFields, sendInput, sendOptions } from "../messages/send-schemas.ts";
import { route, type OperationRoute } from "../route.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import type { Views } from "../views.ts";
import { channelId, serverId } from "./view.ts";

const ONE = [...NETWORK_FAILURES, "channel_not_found"] as const;

const params = z.object({ channelId });
const MESSAGES = "/channels/{channelId}/messages";

export const channelMessageRoutes = (views: Views) => [
  route({
    method: "get",
    path: MESSAGES,
    name: "listChannelMessages",
    effect: "read",
    operation: "channels.messages",
    summary: documented({
      en: "The messages of a channel, with views and reactions, newest first",
      pt: "As mensagens de um canal, com visualizações e reações, da mais recente à mais antiga",
    }),
    failures: ONE,
    example: { query: { limit: 20 } },
    params,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50).openapi({ type: "integer", default: 50 }),
      before: serverId.optional(),
    }),
    input: ({ params: { channelId: channel_id }, query }) => ({
      channel_id,
      limit: query.limit,
      before: query.before === undefined ? null : Number(query.before),
    }),
    ...list(views.channelMessage),
  }),
  publishing(views, textForm, {
    name: "sendChannelText",
    summary: documented({ en: "Publishes a text in the channel", pt: "Publica um texto no canal" }),
    failures: FILE_FAILURES,
    example: { body: { text: "Chegou!" } },
  }),
  publishing(views, imageForm, {
    name: "sendChannelImage",
    summary: documented({ en: "Publishes an image in the channel", pt: "Publica uma imagem no canal" }),
    failures: FILE_FAILURES,
    example: { body: { media: EXAMPLE.image, caption: "Chegou!" } },
  }),
  publishing(views, videoForm, {
    name: "sendChannelVideo",
    summary: documented({ en: "Publishes a video in the channel", pt: "Publica um vídeo no canal" }),
    failures: CONVERTED_FILE_FAILURES,
    example: { body: { media: EXAMPLE.video } },
  }),
  route({
    method: "put",
    path: `${MESSAGES}/{serverId}/reaction`,
    name: "reactToChannelMessage",
    effect: "change",
    operation: "channels.react",
    summary: documented({
      en: "Reacts to a message of the channel, or removes the reaction",
      pt: "Reage a uma mensagem do canal, ou remove a reação",
    }),
    failures: [...ONE, "message_not_found"],
    example: { body: { reaction: "👍" } },
    params: z.object({ channelId, serverId }),
    body: z.strictObject({ reaction }),
    input: (given) => ({
      channel_id: given.params.channelId,
      server_id: Number(given.params.serverId),
      reaction: given.body.reaction,
    }),
    ...done,
  }),
];

type PublishedKind = "text" | "image" | "video";

type Publication = { name: string; summary: Text; failures: readonly FailureCode[]; example: RequestExample };

/** Accepts a send's body without `to` and `chat_id`. */
function publishing<S extends z.core.$ZodLooseShape, K extends PublishedKind>(
  { sent, waits }: Views,
  { kind, body: fields, content }: SendForm<S, K>,
  { failures, example, ...notes }: Publication,
): OperationRoute {
  return route({
    ...notes,
    failures: [...CHOSEN_SEND_FAILURES, ...failures],
    example: { ...example, response: { chat_id: EXAMPLE.channel, to: null, to_resolved: null, type: kind } },
    effect: "change",
    method: "post",
    path: `${MESSAGES}/${kind}`,
    operation: "messages.send",
    kinds: RECIPIENT_KINDS.channel,
    params,
    body: z.strictObject({ ...sendOptions, ...fields }),
    // The cast is needed because the schema merges both parts, and TypeScript cannot separate them again.
    input: (given) => ({
      ...sendInput(given.body as unknown as SendFields),
      chat_id: given.params.channelId,
      content: contentOf({ kind, content }, given.body, given.files),
    }),
    status: 201,
    ...sent,
    ...waits,
  });
}
