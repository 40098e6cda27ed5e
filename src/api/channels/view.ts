import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, readAs } from "#root/src/http/fields.ts";
import { isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { ChannelMessageRecord } from "@gateway/protocol/channels.ts";
import { Location, Poll, type StoredMedia } from "@gateway/protocol/message.ts";
import type { ChannelRecord } from "@gateway/protocol/records.ts";
import { type View, view } from "../responses.ts";
import { messageType, phoneOrNull, text } from "../fields.ts";
import { mediaUrl } from "../messages/view.ts";
import { isChannelId, readChannelKey } from "@gateway/domain/chats/chat-id.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import type { ApiStyle } from "../style.ts";
import { problem } from "#root/src/http/problems.ts";
import { EXAMPLE } from "../example-values.ts";
import { media } from "../file-field.ts";

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
export function channelMessageView({ timestamp }: ApiStyle, media: View<StoredMedia>) {
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

const DESCRIPTION_CHARACTERS = 2048;

export const channelId = z.string().refine(isChannelId, problem("not_a_channel_id")).openapi({ example: EXAMPLE.channel });

/** A channel's id, its invitation code, or a link that ends in one. */
export const channelKey = z
  .string()
  .max(512)
  .transform(readAs(readChannelKey, "not_a_channel_key"))
  .openapi({
    type: "string",
    example: EXAMPLE.channel,
    ...says({ en: "The id of the channel, or the code or link of the invitation", pt: "O id do canal, ou o código ou link do convite" }),
  });

const SERVER_ID = /^[1-9]\d{0,14}$/;

export const serverId = z
  .string()
  .refine((given) => SERVER_ID.test(given), problem("not_a_channel_message"))
  .openapi({
    pattern: SERVER_ID.source,
    example: EXAMPLE.channelMessage,
    ...says({ en: "The server_id of the message", pt: "O server_id da mensagem" }),
  });

const description = z
  .string()
  .refine((value) => hasAtMostCharacters(value, DESCRIPTION_CHARACTERS), problem("too_long", { most: DESCRIPTION_CHARACTERS }))
  .openapi({ maxLength: DESCRIPTION_CHARACTERS });

export const newChannelBody = z.strictObject({ name: text(100), description: description.nullish(), media: media.nullish() });
export const channelBody = z
  .strictObject({
    name: text(100).nullish(),
    description: description.nullish().openapi(says({ en: "Empty removes the description", pt: "Deixe vazio para remover a descrição" })),
    media: media.nullish(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined && value !== null), problem("empty_change"))
  .openapi({ minProperties: 1 });
