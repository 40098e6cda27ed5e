import type { z } from "zod";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { ChannelMessageRecord } from "../../protocol/channels.ts";
import type { ChannelRecord } from "../../protocol/records.ts";
import type { Rendering } from "../route.ts";
import type { Channel, ChannelMessage } from "../schemas/channel.ts";
import { mediaUrl, renderMedia } from "./message.ts";

export function renderChannel({ picture, created_at, ...record }: ChannelRecord, rendering: Rendering): z.input<typeof Channel> {
  return { ...record, picture_url: mediaUrl(picture, rendering), created_at: isoOfMsOrNull(created_at) };
}

export function renderChannelMessage(record: ChannelMessageRecord, rendering: Rendering): z.input<typeof ChannelMessage> {
  const { channel_id, media, reactions, ...shown } = record;
  return {
    ...shown,
    chat_id: channel_id,
    media: media === null ? null : renderMedia(media, rendering),
    reactions: Object.fromEntries(reactions.map(({ reaction, count }) => [reaction, count])),
  };
}
