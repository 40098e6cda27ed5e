import type { z } from "zod";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { ChannelMessageRecord } from "../../protocol/channels.ts";
import type { ChannelRecord } from "../../protocol/records.ts";
import { mediaUrl, renderMedia } from "../messages/render.ts";
import type { RenderContext } from "../route.ts";
import type { Channel, ChannelMessage } from "./schemas.ts";

export function renderChannel({ picture, created_at, ...record }: ChannelRecord, context: RenderContext): z.input<typeof Channel> {
  return { ...record, picture_url: mediaUrl(picture, context), created_at: isoOfMsOrNull(created_at) };
}

export function renderChannelMessage(record: ChannelMessageRecord, context: RenderContext): z.input<typeof ChannelMessage> {
  const { channel_id, media, reactions, ...shown } = record;
  return {
    ...shown,
    chat_id: channel_id,
    media: media === null ? null : renderMedia(media, context),
    reactions: Object.fromEntries(reactions.map(({ reaction, count }) => [reaction, count])),
  };
}
