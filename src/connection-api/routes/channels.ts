import { z } from "@hono/zod-openapi";
import { isChannelId } from "../../domain/chats/shared-links.ts";
import { FILE_RULES } from "../../domain/media/file-rules.ts";
import { renderChannel } from "../render/channel.ts";
import { type Route, route } from "../route.ts";
import { Channel, channelBody, channelId, channelKey, newChannelBody } from "../schemas/channel.ts";
import { done, limit, ok } from "../schemas/fields.ts";
import { givenFile } from "../schemas/media.ts";

const params = z.object({ channelId });
const tag = "channels";

export const channelRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/channels",
    operation: "channels.list",
    tag,
    summary: "The known channels that the number follows or administers",
    query: z.object({ role: z.enum(["owner", "admin", "subscriber"]).optional(), limit }),
    input: ({ query }) => ({ role: query.role ?? null, limit: query.limit }),
    response: z.object({ data: z.array(Channel) }),
    render: ({ items }, rendering) => ({ data: items.map((item) => renderChannel(item, rendering)) }),
  }),
  route({
    method: "post",
    path: "/channels",
    operation: "channels.create",
    tag,
    summary: "Creates a channel",
    body: newChannelBody,
    input: ({ body, files }) => ({
      name: body.name,
      description: body.description ? body.description : null,
      picture: body.media === null || body.media === undefined ? null : files.add(givenFile(body.media, FILE_RULES.picture)),
    }),
    response: z.object({ data: Channel }),
    render: (channel, rendering) => ({ data: renderChannel(channel, rendering) }),
  }),
  route({
    method: "get",
    path: "/channels/{channelId}",
    operation: "channels.get",
    tag,
    summary: "One channel, by id or by invitation",
    params: z.object({ channelId: channelKey }),
    input: (given) => {
      const key = given.params.channelId;
      return isChannelId(key) ? { channel_id: key, invite: null } : { channel_id: null, invite: key };
    },
    response: z.object({ data: Channel }),
    render: (channel, rendering) => ({ data: renderChannel(channel, rendering) }),
  }),
  route({
    method: "patch",
    path: "/channels/{channelId}",
    operation: "channels.change",
    tag,
    summary: "Changes the name, the description or the picture of a channel",
    params,
    body: channelBody,
    input: ({ params: { channelId: channel_id }, body, files }) => ({
      channel_id,
      name: body.name ?? null,
      description: body.description ?? null,
      picture: body.media === null || body.media === undefined ? null : files.add(givenFile(body.media, FILE_RULES.picture)),
    }),
    response: z.object({ data: Channel }),
    render: (channel, rendering) => ({ data: renderChannel(channel, rendering) }),
  }),
  route({
    method: "delete",
    path: "/channels/{channelId}",
    operation: "channels.remove",
    tag,
    summary: "Deletes an own channel",
    params,
    input: (given) => ({ channel_id: given.params.channelId }),
    response: ok,
    render: done,
  }),
  following("follow", "Follows a channel", true),
  following("unfollow", "Unfollows a channel", false),
  muting("mute", "Mutes a channel", true),
  muting("unmute", "Unmutes a channel", false),
];

function following(verb: string, summary: string, follow: boolean): Route {
  return route({
    method: "post",
    path: `/channels/{channelId}/${verb}`,
    operation: "channels.follow",
    tag,
    summary,
    params,
    input: (given) => ({ channel_id: given.params.channelId, follow }),
    response: ok,
    render: done,
  });
}

function muting(verb: string, summary: string, muted: boolean): Route {
  return route({
    method: "post",
    path: `/channels/{channelId}/${verb}`,
    operation: "channels.mute",
    tag,
    summary,
    params,
    input: (given) => ({ channel_id: given.params.channelId, muted }),
    response: ok,
    render: done,
  });
}
