import * as z from "#root/src/http/openapi/zod.ts";
import type { CallRecord } from "@gateway/protocol/records.ts";
import { view } from "../answers.ts";
import { phoneOrNull } from "../fields.ts";
import { phoneOf } from "../messages/view.ts";
import type { AnswerStyle } from "../style.ts";

export function callView({ person, timestamp }: AnswerStyle) {
  const Call = z
    .object({
      call_id: z.string(),
      chat_id: z.string(),
      from: person.schema,
      phone: phoneOrNull,
      is_video: z.boolean(),
      is_group: z.boolean(),
      status: z.enum(["received", "accepted", "rejected", "missed"]),
      timestamp: timestamp.schema,
    })
    .openapi("Call");
  return view(Call, ({ from, timestamp: at, ...call }: CallRecord) => ({
    ...call,
    from: person.of(from),
    phone: phoneOf(from),
    timestamp: timestamp.of(at),
  }));
}
