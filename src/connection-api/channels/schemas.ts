// Channels in answers and requests of the Connection API.
import { z } from "@hono/zod-openapi";
import { isChannelId, readChannelKey } from "../../domain/chats/shared-links.ts";
import { hasAtMostCharacters } from "../../domain/messages/characters.ts";
import { readAs } from "../../http/fields.ts";
import { EXAMPLE } from "../example-values.ts";
import { iso, text } from "../fields.ts";
import { media } from "../file-field.ts";
import { Message } from "../messages/schemas.ts";

const DESCRIPTION_CHARACTERS = 2048;

export const channelId = z.string().refine(isChannelId, { error: "não é o id de um canal" }).openapi({ example: EXAMPLE.channel });

/** An id, or the code of an invitation, or the link that ends in it. */
export const channelKey = z.string().max(512).transform(readAs(readChannelKey, "não é o id, o código nem o link de um canal")).openapi({
  type: "string",
  example: EXAMPLE.channel,
  description: "The id of the channel, or the code or link of the invitation",
});

export const serverId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: "não é o número de uma mensagem do canal" })
  .openapi({ example: EXAMPLE.channelMessage, description: "The server_id of the message" });

const description = z
  .string()
  .refine((value) => hasAtMostCharacters(value, DESCRIPTION_CHARACTERS), {
    error: `deve ter no máximo ${DESCRIPTION_CHARACTERS} caracteres`,
  })
  .openapi({ maxLength: DESCRIPTION_CHARACTERS });

export const newChannelBody = z.strictObject({ name: text(100), description: description.nullish(), media: media.nullish() });
export const channelBody = z
  .strictObject({
    name: text(100).nullish(),
    description: description.nullish().openapi({ description: "Empty removes the description" }),
    media: media.nullish(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined && value !== null), { error: "deve ter ao menos um campo" })
  .openapi({ minProperties: 1 });

export const Channel = z
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

export const ChannelMessage = Message.pick({
  message_id: true,
  chat_id: true,
  type: true,
  text: true,
  media: true,
  location: true,
  contacts: true,
  poll: true,
  forwarded: true,
  timestamp: true,
})
  .extend({
    server_id: z.number().int().openapi({ description: "The number of the message in the channel, for reactions and pagination" }),
    views: z.number().int().nullable(),
    reactions: z.record(z.string(), z.number().int()).openapi({ example: { "👍": 3 } }),
  })
  .openapi("ChannelMessage");
