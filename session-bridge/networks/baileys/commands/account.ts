import type { NewChatMessageCapInfo } from "baileys";
import type { NewChatQuota } from "@gateway/protocol/health.ts";
import type { CommandHandlers } from "./command-handlers.ts";

export const accountCommands: CommandHandlers<"account"> = {
  "account.limits": async ({ sock }) => {
    // The library reports the restriction itself as `connection.update`.
    const [lock, cap] = await Promise.allSettled([sock.fetchAccountReachoutTimelock(), sock.fetchNewChatMessageCap()]);
    if (lock.status === "rejected") throw lock.reason;
    return { ok: true, value: { new_chat_quota: cap.status === "fulfilled" ? quotaOf(cap.value) : null } };
  },
};

const STATUSES: Readonly<Record<string, NewChatQuota["status"]>> = {
  FIRST_WARNING: "first_warning",
  SECOND_WARNING: "second_warning",
  CAPPED: "capped",
};

function quotaOf(info: NewChatMessageCapInfo | null): NewChatQuota | null {
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
