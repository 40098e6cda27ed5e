// Fields that the events of the Connection API share. The general rules for all events are the interface's: phones are digits or null,
// `timestamp`s are Unix seconds.
import { z } from "@hono/zod-openapi";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";

const PHONE = /^[1-9]\d{6,14}$/;

/** A phone number that is always known. */
export const phone = (description: string) => z.string().regex(PHONE).openapi({ description });

export const phoneOrNull = (description: string) => z.string().regex(PHONE).nullable().openapi({ description });

export const groupId = z
  .string()
  .regex(/^[\d-]{5,40}@g\.us$/)
  .openapi({ description: "Id of the group" });

export const chatId = z
  .string()
  .regex(/^([1-9]\d{6,14}@c\.us|\d{5,20}@lid|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/)
  .openapi({
    description:
      "Id of the chat, as the API takes it for an answer: `<phone>@c.us`, or the id of a group (`…@g.us`) or channel (`…@newsletter`); of own status posts `status@broadcast`",
  });

export const isGroup = z.boolean().openapi({ description: "Whether the chat is a group" });

export const messageId = z.string().min(1).max(256).openapi({ description: "Id of the message; for own sends, the id the API returned" });

export const fromMe = z.boolean().openapi({ description: "Whether the number itself did it, through the API, the dashboard or the phone" });

export const timestamp = (description: string) => z.int().openapi({ description });

export const happenedAt = timestamp("Unix seconds: when it happened");

export const isoTime = (description: string) => z.iso.datetime().openapi({ description });

/** `connecting` is shown as `disconnected`. */
const STATUSES = INSTANCE_STATUSES.filter((status) => status !== "connecting");
export const connectionStatus = (description: string) => z.enum(STATUSES).openapi({ description });
