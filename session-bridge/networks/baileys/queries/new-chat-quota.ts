// The network's quota for new chats, queried or pushed. A refused chat (475) also shows that it is used up.
import type { NewChatMessageCapInfo } from "baileys";
import type { NewChatQuota } from "@gateway/protocol/events.ts";
import type { SessionContext } from "../session/session-context.ts";

const STATUSES: Readonly<Record<string, NewChatQuota["status"]>> = {
  FIRST_WARNING: "first_warning",
  SECOND_WARNING: "second_warning",
  CAPPED: "capped",
};

export async function newChatQuota({ sock }: Pick<SessionContext, "sock">): Promise<NewChatQuota | null> {
  return sock.fetchNewChatMessageCap().then(quotaOf, () => null);
}

export function reportQuota(ctx: SessionContext, quota: NewChatQuota | null): void {
  if (quota !== null) ctx.emit([{ key: null, event: { type: "account.new_chat_quota", quota } }]);
}

export function quotaOf(info: NewChatMessageCapInfo | null): NewChatQuota | null {
  if (info === null) return null;
  const endsAt = wholeNumber(info.cycle_end_timestamp);
  return {
    total: wholeNumber(info.total_quota),
    used: wholeNumber(info.used_quota),
    cycle_ends_at: endsAt === 0 ? null : endsAt,
    status: STATUSES[info.capping_status ?? ""] ?? "none",
  };
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : null;
}
