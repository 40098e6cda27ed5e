// The health of a number, explained in docs/use/apis.md, "Number health".
import * as z from "zod";
import { NewChatQuota, Restriction } from "./events.ts";

const count = z.number().int().nonnegative();
const rate = z.number().min(0).max(1).nullable();

export const HEALTH_LEVELS = ["ok", "warning", "restricted", "banned"] as const;

/** `code463_24h` counts refused sends to strangers (`cold`) or in established chats (`warm`). Times are in Unix ms. */
export const NumberHealth = z.object({
  score: z.number().int().min(0).max(100),
  level: z.enum(HEALTH_LEVELS),
  restriction: Restriction.nullable(),
  new_chat_quota: NewChatQuota.nullable(),
  /** The network's rating of a Cloud API number. Null for sessions and unrated numbers. */
  quality_rating: z.enum(["GREEN", "YELLOW", "RED"]).nullable(),
  sends_24h: count,
  failed_24h: count,
  code463_24h: z.object({ cold: count, warm: count }),
  delivered_rate_24h: rate,
  read_rate_24h: rate,
  reconnects_24h: count,
  last_inbound_at: z.number().int().nullable(),
  connected_since: z.number().int().nullable(),
  checked_at: z.number().int().nullable(),
});
export type NumberHealth = z.infer<typeof NumberHealth>;
