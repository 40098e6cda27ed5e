// How well a number is doing, in one figure and one word (docs/apis.md, "Number health"). A guide for people, not a promise of the network.
import type { HEALTH_LEVELS, NumberHealth } from "../../protocol/health.ts";
import type { StatusReason } from "./state.ts";

export type HealthFacts = Pick<
  NumberHealth,
  "restriction" | "new_chat_quota" | "sends_24h" | "failed_24h" | "code463_24h" | "delivered_rate_24h" | "reconnects_24h"
> & { reason: StatusReason };

type Level = (typeof HEALTH_LEVELS)[number];

/** Points off the hundred. Refusals of established chats weigh more than those of strangers: they come before a ban. */
const OFF = {
  restriction: 50,
  quota: { none: 0, first_warning: 10, second_warning: 25, capped: 40 },
  coldRefusal: { each: 2, most: 20 },
  warmRefusal: { each: 5, most: 30 },
  failures: { allOfThem: 30, amongAtLeast: 10 },
  undelivered: { points: 10, below: 0.5, amongAtLeast: 20 },
  reconnect: { free: 3, each: 2, most: 10 },
} as const;
const WARNING_BELOW = 80;

const BANNED: ReadonlySet<StatusReason> = new Set<StatusReason>(["banned", "temporarily_banned"]);

export function numberHealth(facts: HealthFacts): { score: number; level: Level } {
  if (BANNED.has(facts.reason)) return { score: 0, level: "banned" };
  const score = Math.max(0, Math.round(100 - pointsOff(facts)));
  return { score, level: levelOf(facts, score) };
}

function pointsOff({
  restriction,
  new_chat_quota,
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
    (restriction === null ? 0 : OFF.restriction) +
    OFF.quota[new_chat_quota?.status ?? "none"] +
    weighed(code463_24h.cold, OFF.coldRefusal) +
    weighed(code463_24h.warm, OFF.warmRefusal) +
    (attempts < failures.amongAtLeast ? 0 : failures.allOfThem * (failed_24h / attempts)) +
    (isUndelivered ? undelivered.points : 0) +
    weighed(Math.max(0, reconnects_24h - reconnect.free), reconnect)
  );
}

function weighed(count: number, { each, most }: { each: number; most: number }): number {
  return Math.min(most, count * each);
}

function levelOf({ restriction, new_chat_quota }: HealthFacts, score: number): Level {
  const quota = new_chat_quota?.status ?? "none";
  if (restriction !== null || quota === "capped") return "restricted";
  return score < WARNING_BELOW || quota !== "none" ? "warning" : "ok";
}
