// Fields that the events of the Account API share. People are `<phone>@<network suffix>` or null, times ISO 8601.
import { z } from "@hono/zod-openapi";

const PERSON = /^[1-9]\d{6,14}@[a-z0-9.-]+$/;

export const person = (description: string) => z.string().regex(PERSON).nullable().openapi({ description });

/** An entry of a list: people without a known phone number are left out of the list. */
export const knownPerson = (description: string) => z.string().regex(PERSON).openapi({ description });

export const digits = (description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{6,14}$/)
    .openapi({ description });

export const groupId = z
  .string()
  .regex(/^[\d-]{5,40}@g\.us$/)
  .openapi({ description: "Id of the group" });

export const chatId = z
  .string()
  .regex(/^([1-9]\d{6,14}@c\.us|\d{5,20}@lid|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/)
  .openapi({
    description:
      "Id of the chat, as the API takes it: `<phone>@c.us`, or the id of a group (`…@g.us`) or channel (`…@newsletter`); of own status posts `status@broadcast`",
  });

export const messageId = z.string().min(1).max(256).openapi({ description: "Id of the message" });

export const reference = z.string().nullable().openapi({ description: "The `reference` of the request that sent it" });

export const isoTime = (description: string) => z.iso.datetime().openapi({ description });

export const happenedAt = isoTime("When it happened");

export const instanceId = z.uuid().openapi({ description: "Id of the instance" });
