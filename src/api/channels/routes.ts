import { z } from "@hono/zod-openapi";
import { isChannelId } from "@gateway/domain/chats/shared-links.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { done, list, one } from "../answers.ts";
import { FILE_FAILURES, NETWORK_FAILURES } from "../failure-lists.ts";
import { limit } from "../fields.ts";
import { givenFile } from "../file-field.ts";
import { type Family, route, type OperationRoute } from "../route.ts";
import type { Views } from "../views.ts";
import { channelMessageRoutes } from "./messages.ts";
import { channelBody, channelId, channelKey, newChannelBody } from "./schemas.ts";
import { channel } from "./view.ts";

const ONE = [...NETWORK_FAILURES, "channel_not_found"] as const;

const params = z.object({ channelId });

const channelRoutes: readonly OperationRoute[] = [
  route({
    method: "get",
    path: "/channels",
    name: "listChannels",
    effect: "read",
    operation: "channels.list",
    summary: "The known channels that the number follows or administers",
    description: "The known channels: created or followed here, or seen in history and events.",
    failures: [],
    query: z.object({ role: z.enum(["owner", "admin", "subscriber"]).optional(), limit }),
    input: ({ query }) => ({ role: query.role ?? null, limit: query.limit }),
    ...list(channel),
  }),
  route({
    method: "post",
    path: "/channels",
    name: "createChannel",
    effect: "change",
    operation: "channels.create",
    summary: "Creates a channel",
    failures: [...NETWORK_FAILURES, ...FILE_FAILURES],
    example: { body: { name: "Novidades", description: "O que há de novo" } },
    body: newChannelBody,
    status: 201,
    input: ({ body, files }) => ({
      name: body.name,
      description: body.description ? body.description : null,
      picture: body.media === null || body.media === undefined ? null : files.add(givenFile(body.media, FILE_RULES.picture)),
    }),
    ...one(channel),
  }),
  route({
    method: "get",
    path: "/channels/{channelId}",
    name: "getChannel",
    effect: "read",
    operation: "channels.get",
    summary: "One channel, by id or by invitation",
    failures: ONE,
    params: z.object({ channelId: channelKey }),
    input: (given) => {
      const key = given.params.channelId;
      return isChannelId(key) ? { channel_id: key, invite: null } : { channel_id: null, invite: key };
    },
    ...one(channel),
  }),
  route({
    method: "patch",
    path: "/channels/{channelId}",
    name: "updateChannel",
    effect: "change",
    operation: "channels.change",
    summary: "Changes the name, the description or the picture of a channel",
    failures: [...ONE, ...FILE_FAILURES],
    example: { body: { name: "Novidades da loja" } },
    params,
    body: channelBody,
    input: ({ params: { channelId: channel_id }, body, files }) => ({
      channel_id,
      name: body.name ?? null,
      description: body.description ?? null,
      picture: body.media === null || body.media === undefined ? null : files.add(givenFile(body.media, FILE_RULES.picture)),
    }),
    ...one(channel),
  }),
  route({
    method: "delete",
    path: "/channels/{channelId}",
    name: "deleteChannel",
    effect: "destructive",
    operation: "channels.remove",
    summary: "Deletes an own channel",
    failures: ONE,
    params,
    input: (given) => ({ channel_id: given.params.channelId }),
    ...done,
  }),
  following("follow", "Follows a channel", true),
  following("unfollow", "Unfollows a channel", false),
  muting("mute", "Mutes a channel", true),
  muting("unmute", "Unmutes a channel", false),
];

function following(verb: string, summary: string, follow: boolean): OperationRoute {
  return route({
    method: "post",
    path: `/channels/{channelId}/${verb}`,
    name: `${verb}Channel`,
    effect: "change",
    operation: "channels.follow",
    summary,
    failures: ONE,
    params,
    input: (given) => ({ channel_id: given.params.channelId, follow }),
    ...done,
  });
}

function muting(verb: string, summary: string, muted: boolean): OperationRoute {
  return route({
    method: "post",
    path: `/channels/{channelId}/${verb}`,
    name: `${verb}Channel`,
    effect: "change",
    operation: "channels.mute",
    summary,
    failures: ONE,
    params,
    input: (given) => ({ channel_id: given.params.channelId, muted }),
    ...done,
  });
}

export const channels = (views: Views): Family => ({
  name: "channels",
  title: "Channels",
  description: "Channels: create, follow, publish.",
  routes: [...channelRoutes, ...channelMessageRoutes(views)],
});
