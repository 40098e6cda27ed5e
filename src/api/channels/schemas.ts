import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "../../http/problems.ts";
import { isChannelId, readChannelKey } from "@gateway/domain/chats/chat-id.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { readAs } from "../../http/fields.ts";
import { EXAMPLE } from "../example-values.ts";
import { text } from "../fields.ts";
import { media } from "../file-field.ts";

const DESCRIPTION_CHARACTERS = 2048;

export const channelId = z.string().refine(isChannelId, problem("no_channel_id")).openapi({ example: EXAMPLE.channel });

/** The key of a channel: an id, an invitation code, or a link that ends in one. */
export const channelKey = z
  .string()
  .max(512)
  .transform(readAs(readChannelKey, "no_channel_key"))
  .openapi({
    type: "string",
    example: EXAMPLE.channel,
    ...says({ en: "The id of the channel, or the code or link of the invitation", pt: "O id do canal, ou o código ou o link do convite" }),
  });

const SERVER_ID = /^[1-9]\d{0,14}$/;

export const serverId = z
  .string()
  .refine((given) => SERVER_ID.test(given), problem("no_channel_message"))
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
    description: description.nullish().openapi(says({ en: "Empty removes the description", pt: "Vazio remove a descrição" })),
    media: media.nullish(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined && value !== null), problem("no_field"))
  .openapi({ minProperties: 1 });
