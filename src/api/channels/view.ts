import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso } from "../../http/fields.ts";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { ChannelMessageRecord } from "@gateway/protocol/channels.ts";
import { Location, Poll } from "@gateway/protocol/message.ts";
import type { ChannelRecord } from "@gateway/protocol/records.ts";
import { type View, view } from "../answers.ts";
import { messageType, phoneOrNull } from "../fields.ts";
import { mediaUrl } from "../messages/view.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { AnswerStyle } from "../style.ts";

const Channel = z
  .object({
    channel_id: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    invite_link: z.string().nullable(),
    role: z.enum(["owner", "admin", "subscriber", "guest"]),
    subscribers: z.number().int().nullable(),
    verified: z.boolean(),
    muted: z.boolean(),
    picture_url: z.string().nullable(),
    created_at: iso.nullable(),
  })
  .openapi("Channel");

export const channel = view(Channel, ({ picture, created_at, ...record }: ChannelRecord, context) => ({
  ...record,
  picture_url: mediaUrl(picture, context),
  created_at: isoOfMsOrNull(created_at),
}));

/** Channel messages have no sender, so none is shown. */
export function channelMessageView({ timestamp }: AnswerStyle, media: View<StoredMedia>) {
  const ChannelMessage = z
    .object({
      message_id: z.string(),
      chat_id: z.string(),
      type: messageType,
      text: z.string().nullable(),
      media: media.schema.nullable(),
      location: Location.nullable(),
      contacts: z.array(z.object({ full_name: z.string(), phone: phoneOrNull, vcard: z.string() })).nullable(),
      poll: Poll.nullable(),
      forwarded: z.boolean(),
      timestamp: timestamp.schema,
      server_id: z
        .number()
        .int()
        .openapi(
          says({
            en: "The number of the message in the channel, for reactions and pagination",
            pt: "O número da mensagem no canal, para reagir e paginar",
          }),
        ),
      views: z.number().int().nullable(),
      reactions: z.record(z.string(), z.number().int()).openapi({ example: { "👍": 3 } }),
    })
    .openapi("ChannelMessage");
  return view(ChannelMessage, (record: ChannelMessageRecord, context) => {
    const { channel_id, media: file, reactions, timestamp: at, ...shown } = record;
    return {
      ...shown,
      chat_id: channel_id,
      media: file === null ? null : media.show(file, context),
      reactions: Object.fromEntries(reactions.map(({ reaction, count }) => [reaction, count])),
      timestamp: timestamp.of(at),
    };
  });
}
