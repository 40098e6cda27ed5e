import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "../../http/problems.ts";
import { TYPING_STATES } from "@gateway/protocol/commands.ts";
import { OwnPresence } from "@gateway/protocol/records.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "@gateway/protocol/units.ts";
import { chatId } from "../fields.ts";

/** A chat that supports typing and presence: with one person, or a group. */
export const conversationId = chatId.refine((id) => !id.endsWith("@newsletter"), problem("no_conversation"));

const YEAR_SECONDS = 365 * DAY_SECONDS;

export const muteBody = z.strictObject({
  duration_seconds: z
    .number()
    .int()
    .min(HOUR_SECONDS)
    .max(YEAR_SECONDS)
    .nullish()
    .openapi({ example: 28_800, ...says({ en: "Absent: permanently", pt: "Ausente: para sempre" }) }),
});

export const typingBody = z.strictObject({
  state: z.enum(TYPING_STATES),
  duration_ms: z
    .number()
    .int()
    .min(0)
    .max(25_000)
    .nullish()
    .openapi({
      example: 5_000,
      ...says({
        en: "After this time it shows that you have stopped; absent: only when you say so",
        pt: "Depois disso aparece que você parou; ausente: só quando você avisar",
      }),
    }),
});

/** The durations that the network offers: off, 24 hours, 7 days, 90 days. */
export const disappearingBody = z.strictObject({
  seconds: z.union([z.literal(0), z.literal(86_400), z.literal(604_800), z.literal(7_776_000)]).openapi({ example: 604_800 }),
});

export const ownPresenceBody = z.strictObject({ presence: OwnPresence });
