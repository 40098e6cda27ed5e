// A number's health, as a score and a level. This is our own estimate, because the network publishes only the quality of Cloud API numbers.
import type { HEALTH_LEVELS, NumberHealth } from "@gateway/protocol/health.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { StatusReason } from "./state.ts";

export type HealthFacts = Pick<
  NumberHealth,
  "restriction" | "new_chat_quota" | "quality_rating" | "sends_24h" | "failed_24h" | "code463_24h" | "delivered_rate_24h" | "reconnects_24h"
> & {
  status: InstanceStatus;
  reason: StatusReason;
  blocked: boolean;
};

type Level = (typeof HEALTH_LEVELS)[number];

/** Points subtracted from 100. Refusals in established chats cost more than refusals from strangers, because they often precede bans. */
const OFF = {
  failed: 50,
  restriction: 50,
  quota: { none: 0, first_warning: 10, second_warning: 25, capped: 40 },
  quality: { GREEN: 0, YELLOW: 15, RED: 40 },
  coldRefusal: { each: 2, max: 20 },
  warmRefusal: { each: 5, max: 30 },
  failures: { allOfThem: 30, amongAtLeast: 10 },
  undelivered: { points: 10, below: 0.5, amongAtLeast: 20 },
  reconnect: { free: 3, each: 2, max: 10 },
} as const;
const WARNING_BELOW = 80;

const BANNED: ReadonlySet<StatusReason> = new Set<StatusReason>(["banned", "locked", "temporarily_banned"]);

export function numberHealth(facts: HealthFacts): { score: number; level: Level } {
  if (BANNED.has(facts.reason)) return { score: 0, level: "banned" };
  const score = Math.max(0, Math.round(100 - pointsOff(facts)));
  return { score, level: levelOf(facts, score) };
}

function pointsOff({
  status,
  restriction,
  new_chat_quota,
  quality_rating,
  sends_24h,
  failed_24h,
  code463_24h,
  delivered_rate_24h,
  reconnects_24h,
}: HealthFacts): number {
  const { failures, undelivered, reconnect } = OFF;
  const attempts = sends_24h + failed_24h;
  const isUndelivered = delivered_rate_24h !== null && sends_24h >= undelivered.amongAtLeast && delivered_rate_24h < undelivered.below;
  return (
    (status === "failed" ? OFF.failed : 0) +
    (restriction === null ? 0 : OFF.restriction) +
    OFF.quota[new_chat_quota?.status ?? "none"] +
    (quality_rating === null ? 0 : OFF.quality[quality_rating]) +
    penalty(code463_24h.cold, OFF.coldRefusal) +
    penalty(code463_24h.warm, OFF.warmRefusal) +
    (attempts < failures.amongAtLeast ? 0 : failures.allOfThem * (failed_24h / attempts)) +
    (isUndelivered ? undelivered.points : 0) +
    penalty(Math.max(0, reconnects_24h - reconnect.free), reconnect)
  );
}

function penalty(count: number, { each, max }: { each: number; max: number }): number {
  return Math.min(max, count * each);
}

function levelOf({ restriction, new_chat_quota, blocked, reason }: HealthFacts, score: number): Level {
  const quota = new_chat_quota?.status ?? "none";
  if (restriction !== null || blocked || reason === "cloud_token_invalid" || quota === "capped") return "restricted";
  return score < WARNING_BELOW || quota !== "none" ? "warning" : "ok";
}
