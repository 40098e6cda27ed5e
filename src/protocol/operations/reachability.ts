// Reports whether a message to a person would be sent now (docs/use/reachability.md, "Advice").
import * as z from "zod";
import { INSTANCE_STATUSES } from "../connection.ts";
import { ChatId } from "../ids.ts";
import { BOTH_KINDS, type OperationRow } from "./row.ts";

export const ADVICE = ["send", "wait", "use_template", "do_not_send"] as const;

export const WHY = [
  "not_on_whatsapp",
  "reply_only",
  "restriction",
  "new_chat_quota",
  "new_chats_per_hour",
  "connection",
  "window_closed",
] as const;

const time = z.number().int().nullable();

/** Times are in Unix ms. */
export const Reachability = z.object({
  exists: z.boolean().nullable(),
  chat: z.enum(["known", "first_contact"]),
  last_inbound_at: time,
  session: z.enum(INSTANCE_STATUSES),
  restriction: z.object({ until: time }).nullable(),
  new_chats: z.object({ left: z.number().int(), of: z.number().int().nullable(), until: time }).nullable(),
  window_until: time,
  advice: z.enum(ADVICE),
  why: z.enum(WHY).nullable(),
});
export type Reachability = z.infer<typeof Reachability>;

export const REACHABILITY_OPERATIONS = {
  "contacts.reachability": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asksNetwork: true,
    input: z.object({ contact_id: ChatId }),
    output: Reachability,
  },
} as const satisfies Record<string, OperationRow>;
