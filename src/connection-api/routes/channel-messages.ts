// What is said in channels.
import { z } from "@hono/zod-openapi";
import { renderChannelMessage } from "../render/channel.ts";
import { renderSent } from "../render/sent.ts";
import { type Route, route } from "../route.ts";
import { channelId, ChannelMessage, serverId } from "../schemas/channel.ts";
import { done, ok, reaction } from "../schemas/fields.ts";
import { type SendFields, sendInput, sendOptions, SendResult } from "../schemas/send.ts";
import type { SendForm } from "../send-route.ts";
import { imageForm, textForm, videoForm } from "./sends.ts";

const params = z.object({ channelId });
const tag = "channels";
const MESSAGES = "/channels/{channelId}/messages";

export const channelMessageRoutes = [
  route({
    method: "get",
    path: MESSAGES,
    operation: "channels.messages",
    tag,
    summary: "The messages of a channel, with views and reactions, newest first",
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
    response: z.object({ data: z.array(ChannelMessage) }),
    render: ({ items }, rendering) => ({ data: items.map((item) => renderChannelMessage(item, rendering)) }),
  }),
  publishing("text", "Publishes a text in the channel", textForm),
  publishing("image", "Publishes an image in the channel", imageForm),
  publishing("video", "Publishes a video in the channel", videoForm),
  route({
    method: "put",
    path: `${MESSAGES}/{serverId}/reaction`,
    operation: "channels.react",
    tag,
    summary: "Reacts to a message of the channel, or removes the reaction",
    params: z.object({ channelId, serverId }),
    body: z.strictObject({ reaction }),
    input: (given) => ({
      channel_id: given.params.channelId,
      server_id: Number(given.params.serverId),
      reaction: given.body.reaction,
    }),
    response: ok,
    render: done,
  }),
];

/** The same body as any send, without a destination of its own. */
function publishing<S extends z.core.$ZodLooseShape>(kind: string, summary: string, { body: fields, content }: SendForm<S>): Route {
  return route({
    method: "post",
    path: `${MESSAGES}/${kind}`,
    operation: "messages.send",
    tag,
    summary,
    params,
    body: z.strictObject({ ...sendOptions, ...fields }),
    // As in `sendRoute`: the parsed body holds both, and the compiler cannot take the two apart again.
    input: (given) => ({
      ...sendInput(given.body as unknown as SendFields),
      chat_id: given.params.channelId,
      content: content(given.body as unknown as z.output<z.ZodObject<S>>, given.files),
    }),
    response: SendResult,
    render: renderSent,
  });
}
