import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isChannelId } from "@gateway/domain/chats/chat-id.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { done, list, one } from "../responses.ts";
import { FILE_FAILURES, NETWORK_FAILURES } from "../failure-lists.ts";
import { limit } from "../fields.ts";
import { givenFile } from "../file-field.ts";
import { type Family, route, type OperationRoute } from "../route.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import type { Views } from "../views.ts";
import { channelMessageRoutes } from "./messages.ts";
import { channelBody, channelId, channelKey, newChannelBody, channel } from "./view.ts";

const ONE = [...NETWORK_FAILURES, "channel_not_found"] as const;

const params = z.object({ channelId });

const channelRoutes: readonly OperationRoute[] = [
  route({
    method: "get",
    path: "/channels",
    name: "listChannels",
    effect: "read",
    operation: "channels.list",
    summary: documented({
      en: "The known channels that the number follows or administers",
      pt: "Os canais que o número segue ou administra, pelo que o gateway sabe",
    }),
    description: documented({
      en: "The channels that were created or followed here, or seen in history and events.",
      pt: "Os canais criados ou seguidos por aqui, ou vistos no histórico e em eventos.",
    }),
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
    summary: documented({ en: "Creates a channel", pt: "Cria um canal" }),
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
    summary: documented({ en: "One channel, by id or by invitation", pt: "Um canal, pelo id ou pelo convite" }),
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
    summary: documented({
      en: "Changes the name, the description or the picture of a channel",
      pt: "Muda o nome, a descrição ou a foto de um canal",
    }),
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
    summary: documented({ en: "Deletes a channel of your own", pt: "Apaga um canal seu" }),
    failures: ONE,
    params,
    input: (given) => ({ channel_id: given.params.channelId }),
    ...done,
  }),
  following("follow", { en: "Follows a channel", pt: "Segue um canal" }, true),
  following("unfollow", { en: "Unfollows a channel", pt: "Deixa de seguir um canal" }, false),
  muting("mute", { en: "Mutes a channel", pt: "Silencia um canal" }, true),
  muting("unmute", { en: "Unmutes a channel", pt: "Reativa as notificações de um canal" }, false),
];

function following(verb: string, summary: Text, follow: boolean): OperationRoute {
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

function muting(verb: string, summary: Text, muted: boolean): OperationRoute {
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
  title: documented({ en: "Channels", pt: "Canais" }),
  description: documented({ en: "Channels: create, follow, publish.", pt: "Canais: criar, seguir, publicar." }),
  routes: [...channelRoutes, ...channelMessageRoutes(views)],
});
