// The order of the reasons, and the effect of each setting on them (docs/use/reachability.md, "Advice").
import { describe, expect, it } from "vitest";
import { blockOf, holdOf, type ReachFacts, reachabilityOf, verdictOf } from "@gateway/domain/messages/reachability.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const NOW = Date.UTC(2030, 0, 15);
const seconds = (ms: number) => ms / 1000;
const FINE: ReachFacts = {
  isConnected: true,
  exists: true,
  isKnown: false,
  isStarting: false,
  lastInboundAt: null,
  restriction: null,
  quota: null,
  hour: { started: 0, firstAt: null },
  settings: { new_chats_per_hour: null, reply_only: false },
  hasWindow: false,
};
const quota = (change: Partial<NonNullable<ReachFacts["quota"]>["limits"]> = {}, started = 0, checkedAt = NOW) => ({
  limits: { total: 10, used: 4, cycle_ends_at: seconds(NOW + HOUR_MS), status: "none" as const, ...change },
  checkedAt,
  started,
});
const verdict = (change: Partial<ReachFacts>, now = NOW) => verdictOf({ ...FINE, ...change }, now);
const left = (change: Partial<ReachFacts>, now = NOW) => reachabilityOf({ ...FINE, ...change }, "connected", now).new_chats;

describe("the reason", () => {
  const everything: ReachFacts = {
    ...FINE,
    exists: false,
    isConnected: false,
    restriction: { ends_at: seconds(NOW + HOUR_MS) },
    quota: quota({ used: 10 }),
    hour: { started: 1, firstAt: NOW - HOUR_MS / 2 },
    settings: { new_chats_per_hour: 1, reply_only: true },
    hasWindow: true,
  };
  it("is the first that applies, from a missing account to a closed window", () => {
    const steps: Partial<ReachFacts>[] = [
      {},
      { exists: null },
      { settings: { new_chats_per_hour: 1, reply_only: false } },
      { restriction: { ends_at: seconds(NOW) } },
      { quota: null },
      { settings: FINE.settings },
      { isConnected: true },
      { lastInboundAt: NOW - DAY_MS + 1 },
    ];
    let facts = everything;
    const found = steps.map((step) => {
      facts = { ...facts, ...step };
      const { advice, why } = verdictOf(facts, NOW);
      return [advice, why];
    });
    expect(found).toEqual([
      ["do_not_send", "not_on_whatsapp"],
      ["do_not_send", "reply_only"],
      ["wait", "restriction"],
      ["wait", "new_chat_quota"],
      ["wait", "new_chats_per_hour"],
      ["wait", "connection"],
      ["use_template", "window_closed"],
      ["send", null],
    ]);
  });

  it("is never about new chats for a known chat", () => {
    const known = { ...everything, exists: true, isKnown: true, isConnected: true, lastInboundAt: NOW - 1 };
    expect(verdictOf(known, NOW)).toEqual({ advice: "send", why: null, until: null });
  });
});

describe("new chats", () => {
  it("are counted by the quota or by the hour, whichever has fewer left, without those started since", () => {
    const hour = { started: 1, firstAt: NOW - HOUR_MS / 2 };
    expect(left({ quota: quota({}, 2) })).toEqual({ left: 4, of: 10, until: NOW + HOUR_MS });
    expect(left({ quota: quota({}, 2), hour, settings: { new_chats_per_hour: 3, reply_only: false } })).toEqual({
      left: 2,
      of: 3,
      until: NOW + HOUR_MS / 2,
    });
    expect(left({ quota: quota({ used: 40 }) })).toMatchObject({ left: 0 });
    expect(left({ quota: quota({ total: null, used: null }) })).toBeNull();
  });

  it("are none while the quota is capped, until its cycle ends", () => {
    const capped = quota({ total: null, used: null, status: "capped" });
    expect(left({ quota: capped })).toEqual({ left: 0, of: null, until: NOW + HOUR_MS });
    expect(verdict({ quota: capped })).toMatchObject({ why: "new_chat_quota", until: NOW + HOUR_MS });
    expect(verdict({ quota: capped }, NOW + HOUR_MS)).toMatchObject({ advice: "send" });
    expect(left({ quota: quota({ used: 10 }) }, NOW + HOUR_MS)).toMatchObject({ left: 10, until: null });
    expect(verdict({ quota: capped, isStarting: true }), "this chat is counted already").toMatchObject({ advice: "send" });
  });
});

describe("a send policy", () => {
  const used = { ...FINE, quota: quota({ used: 10 }) };
  it.each(["send", "hold", "refuse"] as const)("blocks a send by its rules: `%s`", (policy) => {
    const code = (facts: ReachFacts, isTemplate = false) => blockOf(facts, policy, isTemplate, NOW)?.failure.code ?? null;
    const cloud = { ...FINE, exists: null, hasWindow: true };
    expect([code(used), code(cloud), code(cloud, true), code({ ...cloud, isKnown: true })]).toEqual(
      policy === "send" ? [null, null, null, null] : ["temporarily_blocked", "outside_service_window", null, null],
    );
    expect(code({ ...FINE, restriction: { ends_at: null } })).toBe("temporarily_blocked");
    expect(code({ ...FINE, settings: { new_chats_per_hour: 0, reply_only: false } })).toBe("rate_limited");
    expect(code({ ...FINE, isConnected: false })).toBeNull();
  });

  it("keeps the owner's hourly limit if WhatsApp's quota does not count", () => {
    const both = { ...used, settings: { new_chats_per_hour: 0, reply_only: false } };
    expect([blockOf(both, "send", false, NOW)?.why, blockOf(both, "hold", false, NOW)?.why]).toEqual([
      "new_chats_per_hour",
      "new_chat_quota",
    ]);
  });

  it("holds a send for 24 hours after the reason ends, and for seven days at most", () => {
    const block = { failure: { code: "temporarily_blocked" }, why: "restriction", canWait: true } as const;
    const until = (end: number | null) => holdOf({ ...block, until: end }, NOW)?.until ?? null;
    expect([until(null), until(NOW + HOUR_MS), until(NOW + 6.5 * DAY_MS), until(NOW + 7 * DAY_MS)]).toEqual([
      NOW + DAY_MS,
      NOW + HOUR_MS + DAY_MS,
      NOW + 7 * DAY_MS,
      null,
    ]);
    expect(holdOf({ ...block, canWait: false, until: null }, NOW)).toBeNull();
  });
});
