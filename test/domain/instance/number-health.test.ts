import { describe, expect, it } from "vitest";
import { type HealthFacts, numberHealth } from "@gateway/domain/instance/number-health.ts";

const well: HealthFacts = {
  status: "connected",
  reason: "ok",
  restriction: null,
  new_chat_quota: null,
  quality_rating: null,
  blocked: false,
  sends_24h: 100,
  failed_24h: 0,
  code463_24h: { cold: 0, warm: 0 },
  delivered_rate_24h: 0.95,
  reconnects_24h: 1,
};
const health = (change: Partial<HealthFacts>) => numberHealth({ ...well, ...change });
const restriction = { type: "new_chats_blocked", enforcement: "DEFAULT", ends_at: null, detected_at: 1 } as const;
const quota = (status: "none" | "first_warning" | "second_warning" | "capped") => ({ total: 50, used: 50, cycle_ends_at: null, status });

describe("the health of a number", () => {
  it("is 100 without any problem", () => {
    expect(numberHealth(well)).toEqual({ score: 100, level: "ok" });
    expect(health({ new_chat_quota: quota("none"), reconnects_24h: 3 })).toEqual({ score: 100, level: "ok" });
  });

  it("is zero for a banned number", () => {
    expect(health({ reason: "banned" })).toEqual({ score: 0, level: "banned" });
    expect(health({ reason: "temporarily_banned", restriction })).toEqual({ score: 0, level: "banned" });
  });

  it("is restricted while new chats are blocked or used up", () => {
    expect(health({ restriction })).toEqual({ score: 50, level: "restricted" });
    expect(health({ new_chat_quota: quota("capped") })).toEqual({ score: 60, level: "restricted" });
  });

  it("warns with the network's quota, and at refusals in established chats", () => {
    expect(health({ new_chat_quota: quota("first_warning") })).toEqual({ score: 90, level: "warning" });
    expect(health({ code463_24h: { cold: 3, warm: 4 } })).toEqual({ score: 74, level: "warning" });
    expect(health({ sends_24h: 50, failed_24h: 50, delivered_rate_24h: 0.4 })).toEqual({ score: 75, level: "warning" });
    expect(health({ reconnects_24h: 30 })).toEqual({ score: 90, level: "ok" });
  });

  it("is never well while the number's status is failed, and is restricted without a token that Meta accepts", () => {
    expect(health({ status: "failed", reason: "bad_session" })).toEqual({ score: 50, level: "warning" });
    expect(health({ status: "failed", reason: "cloud_token_invalid" })).toEqual({ score: 50, level: "restricted" });
    expect(health({ status: "disconnected", reason: "manual" })).toEqual({ score: 100, level: "ok" });
  });

  it("ignores rates of a few messages, and never falls below zero", () => {
    expect(health({ sends_24h: 2, failed_24h: 5, delivered_rate_24h: 0 })).toEqual({ score: 100, level: "ok" });
    const worst = {
      restriction,
      new_chat_quota: quota("capped"),
      failed_24h: 900,
      code463_24h: { cold: 99, warm: 99 },
      reconnects_24h: 99,
    };
    expect(health(worst).score).toBe(0);
  });
});
