// Facts that the overview derives about a connection.
import { expect, it } from "vitest";
import { type FirstFacts, firstSteps, buttonsFor } from "#root/dashboard/src/domain/overview.ts";
import { stripHours } from "#root/dashboard/src/domain/strip.ts";
import { namedPeriods, niceTop, stacked } from "#root/dashboard/src/domain/time-chart.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";

const AT = "2026-11-22T12:00:00.000Z";
const done: FirstFacts = { last_connected_at: AT, sent: 1, keys: [{ last_used_at: null }], webhook: { last_success_at: AT } };
const open = (change: Partial<FirstFacts>) =>
  firstSteps({ ...done, ...change })
    ?.filter((each) => !each.done)
    .map(({ step }) => step) ?? null;

it("each first step is ticked by its fact, and the list disappears when all are done", () => {
  expect(open({})).toBeNull();
  expect(open({ last_connected_at: null })).toEqual(["connected"]);
  expect(open({ keys: [] })).toEqual(["key"]);
  expect(open({ sent: 0 })).toEqual(["message"]);
  expect(open({ sent: 0, keys: [{ last_used_at: AT }] })).toBeNull();
  expect(open({ webhook: null })).toEqual(["webhook"]);
  expect(open({ webhook: { last_success_at: null } })).toEqual(["webhook"]);
});

it("a guest sees no steps that only the owner can do", () => {
  expect(firstSteps({ ...done, sent: 0, keys: undefined, webhook: undefined })).toEqual([
    { step: "connected", done: true },
    { step: "message", done: false },
  ]);
});

it("each status and reason has its own buttons", () => {
  expect(buttonsFor(null, "unavailable")).toBeNull();
  expect(buttonsFor("disconnected", "manual")).toBe("connect");
  expect(buttonsFor("connected", "ok")).toBe("online");
  expect(buttonsFor("scan_qr", "waiting_scan")).toBe("pair");
  expect(buttonsFor("disconnected", "created", false)).toBe("connect");
  expect(buttonsFor("failed", "cloud_token_invalid", false)).toBe("connect");
  const pairs = STATUS_REASONS.filter((reason) => buttonsFor("failed", reason) === "pair");
  expect(pairs).toEqual([
    "created",
    "logged_out",
    "qr_timeout",
    "passkey_timeout",
    "passkey_wanted",
    "banned",
    "bad_session",
    "multidevice_mismatch",
    "passkey_unsupported",
  ]);
});

it("people who only chat are asked for no key and no webhook", () => {
  const none = { ...done, sent: 0, keys: [], webhook: null };
  expect(firstSteps(none, "chat")?.map(({ step }) => step)).toEqual(["connected", "message"]);
  expect(firstSteps({ ...none, sent: 1 }, "chat")).toBeNull();
  expect(firstSteps(none, "system")?.map(({ step }) => step)).toEqual(["connected", "key", "message", "webhook"]);
});

it("the running hour shows a session that has just ended", () => {
  const ticks = [{ at: AT, messages: 29, status: "connected" as const }];
  const running = (now: Parameters<typeof stripHours>[1]) => stripHours([...ticks, ...ticks], now).map(({ state }) => state);
  expect(running("disconnected")).toEqual(["connected", "dropped"]);
  expect(running("failed")).toEqual(["connected", "failed"]);
  expect(running("connected")).toEqual(["connected", "connected"]);
  // Nothing has ended while a new number is paired.
  const pairing = stripHours([{ at: AT, messages: 0, status: "scan_qr" }], "disconnected");
  expect(pairing.map(({ state }) => state)).toEqual(["connecting"]);
  expect(running(null)).toEqual(["connected", "connected"]);
});

it("a chart has an axis of round numbers, and names a few of its periods", () => {
  expect([0, 3, 4, 5, 6, 7, 12, 50, 51, 1_999].map(niceTop)).toEqual([4, 4, 4, 6, 6, 10, 20, 50, 100, 2_000]);
  expect(namedPeriods(24, 6)).toEqual([3, 7, 11, 15, 19, 23]);
  expect(namedPeriods(3, 6)).toEqual([0, 1, 2]);
  expect(stacked([0, 1, 50], 100, 100, 2)).toEqual([
    { from: 0, size: 0 },
    { from: 0, size: 2 },
    { from: 2, size: 50 },
  ]);
});
