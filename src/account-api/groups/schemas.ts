// Groups as the Account API shows them.
import { z } from "@hono/zod-openapi";
import { PARTICIPANT_REASONS } from "../../protocol/groups.ts";
import { phoneOrNull } from "../fields.ts";

export const ParticipantResult = z
  .object({
    id: z.string().openapi({ example: "5511900000002@c.us", description: "The chat id of the person" }),
    phone: phoneOrNull,
    status: z.enum(["ok", "failed"]),
    code: z.number().int().nullable().openapi({ description: "What the network said" }),
    reason: z.enum(PARTICIPANT_REASONS).nullable(),
    invite_sent: z.literal(false),
  })
  .openapi("ParticipantResult");
