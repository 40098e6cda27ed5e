// The list of connections after stream events: rows that stay, are added, or need attention.
import { expect, it } from "vitest";
import { type Listed, nextStep, withFrame, withNewcomers } from "#root/dashboard/src/domain/connection-list.ts";

const AT = "2026-11-22T12:00:00.000Z";
const row = (id: number, status: "connected" | "disconnected", status_reason = "ok") => ({
  id,
  name: `Loja ${id}`,
  role: "owner" as const,
  phone: "5511900000001",
  status,
  status_reason,
  status_changed_at: null,
});

it("a filtered list adds newly matching rows in list order, and removes those that no longer match", () => {
  const shown = [row(2, "disconnected"), row(4, "connected")];
  const all = [row(1, "connected"), row(2, "disconnected"), row(3, "disconnected"), row(4, "connected")];
  expect(withNewcomers(shown, all, "disconnected").map(({ id }) => id)).toEqual([2, 3]);
  expect(withNewcomers(shown, all, undefined).map(({ id }) => id)).toEqual([2, 4]);
});

it("the list tracks connections that need attention on other pages too", () => {
  const { phone: _phone, ...needy } = row(9, "disconnected", "logged_out");
  const list: Listed = { data: [row(1, "connected")], attention: [needy], attention_total: 3 };
  const back = withFrame(list, { id: 9, status: "connected", status_reason: "ok", phone: null }, AT);
  expect([back.attention, back.attention_total, back.data]).toEqual([[], 2, list.data]);
  // Repeated states and unknown connections change nothing.
  expect(withFrame(list, { id: 9, status: "disconnected", status_reason: "logged_out", phone: null }, AT)).toBe(list);
  expect(withFrame(list, { id: 8, status: "connected", status_reason: "ok", phone: null }, AT)).toBe(list);
});

it("a connection has the next step of its kind: a number of the Cloud API has no phone to pair", () => {
  const created = { status: "disconnected", status_reason: "created" } as const;
  expect(nextStep({ ...created, kind: "session" })).toBe("pair");
  expect(nextStep({ ...created, kind: "cloud_api" })).toBe("connect");
  expect(nextStep({ status: "failed", status_reason: "cloud_token_invalid", kind: "cloud_api" })).toBe("read");
});
