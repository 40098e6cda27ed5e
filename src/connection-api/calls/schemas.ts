// Calls in answers of the Connection API.
import { z } from "@hono/zod-openapi";
import type { CallRecord } from "../../protocol/records.ts";
import { phoneOrNull, unixSeconds } from "../fields.ts";
import { phoneOf } from "../messages/render.ts";

export const Call = z
  .object({
    call_id: z.string(),
    chat_id: z.string(),
    from: phoneOrNull,
    phone: phoneOrNull,
    is_video: z.boolean(),
    is_group: z.boolean(),
    status: z.enum(["received", "accepted", "rejected", "missed"]),
    timestamp: unixSeconds,
  })
  .openapi("Call");

export function renderCall({ from, ...call }: CallRecord): z.input<typeof Call> {
  const phone = phoneOf(from);
  return { ...call, from: phone, phone };
}
