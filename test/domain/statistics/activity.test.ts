import { describe, expect, it } from "vitest";
import { activityOf, afterChange, type StatusHour } from "@gateway/domain/statistics/activity.ts";
import { tickOf } from "@gateway/domain/statistics/tick.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

const TEN = Date.UTC(2035, 0, 1, 10);
const at = (hours: number, minutes = 0): number => TEN + hours * HOUR_MS + minutes * MINUTE_MS;

/** The stored activity after these changes, starting from `first`. */
function keptAfter(first: { status: InstanceStatus; since: number }, changes: readonly [InstanceStatus, number][]): StatusHour[] {
  const kept = new Map<number, StatusHour>();
  let before = first;
  for (const [status, when] of changes) {
    const last = [...kept.values()].sort((one, other) => one.hour - other.hour).at(-1) ?? null;
    for (const row of afterChange(last, before, status, when)) kept.set(row.hour, row);
    before = { status, since: when };
  }
  return [...kept.values()].sort((one, other) => one.hour - other.hour);
}

const shown = (hours: number, kept: readonly StatusHour[], current: { status: InstanceStatus; since: number }, now: number) =>
  activityOf(hours, kept, current, new Map(), now).map(({ minutes }) =>
    Object.fromEntries(Object.entries(minutes).filter(([, time]) => time > 0)),
  );

describe("minutes in each status", () => {
  it("are told apart within an hour, and go on over hours in which nothing changed", () => {
    const kept = keptAfter({ status: "disconnected", since: at(0, 10) }, [
      ["connecting", at(0, 20)],
      ["connected", at(0, 21)],
      ["connecting", at(3, 30)],
      ["connected", at(3, 33)],
      ["failed", at(3, 40)],
    ]);
    expect(shown(5, kept, { status: "failed", since: at(3, 40) }, at(4, 6))).toEqual([
      { disconnected: 10, connecting: 1, connected: 39 },
      { connected: 60 },
      { connected: 60 },
      { connected: 37, connecting: 3, failed: 20 },
      { failed: 6 },
    ]);
  });

  it("are unknown before the first known status", () => {
    expect(shown(3, [], { status: "connected", since: at(1, 45) }, at(2, 30))).toEqual([{}, { connected: 15 }, { connected: 30 }]);
  });

  it("follow the last change before the span", () => {
    const kept = keptAfter({ status: "connecting", since: at(-40) }, [["connected", at(-30)]]);
    expect(shown(2, kept, { status: "connected", since: at(-30) }, at(1))).toEqual([{ connected: 60 }, {}]);
  });

  it("are never reduced by a clock that steps back", () => {
    const kept = keptAfter({ status: "disconnected", since: at(0) }, [
      ["connected", at(0, 30)],
      ["failed", at(0, 10)],
    ]);
    expect(shown(1, kept, { status: "failed", since: at(0, 10) }, at(0, 40))).toEqual([{ disconnected: 30, failed: 10 }]);
  });

  it("include a drop of some seconds", () => {
    const kept = keptAfter({ status: "connected", since: at(0) }, [
      ["connecting", at(0, 30)],
      ["connected", at(0, 30) + 6_000],
    ]);
    expect(shown(1, kept, { status: "connected", since: 0 }, at(0, 59))).toEqual([{ connected: 58.9, connecting: 0.1 }]);
  });
});

it("a tick shows the worst status that lasted a minute, and the messages of both directions", () => {
  const hour = (minutes: Partial<Record<InstanceStatus, number>>) => ({
    at: TEN,
    minutes: { disconnected: 0, connecting: 0, scan_qr: 0, connected: 0, failed: 0, ...minutes },
    sent: 3,
    received: 4,
    failed: 9,
    delivered: 9,
  });
  const status = (minutes: Partial<Record<InstanceStatus, number>>) => tickOf(hour(minutes)).status;
  expect(tickOf(hour({ connected: 60 }))).toEqual({ at: TEN, messages: 7, status: "connected" });
  expect(status({ connected: 59, connecting: 1 })).toBe("connecting");
  expect(status({ connected: 59.1, connecting: 0.9 })).toBe("connected");
  expect(status({ connected: 50, disconnected: 5, failed: 5 })).toBe("failed");
  expect(status({ connecting: 0.3, scan_qr: 0.4 })).toBe("scan_qr");
  expect(status({ disconnected: 20, scan_qr: 0.5, connecting: 2, connected: 1 })).toBe("connected");
  expect(status({ disconnected: 20, scan_qr: 3 })).toBe("disconnected");
  expect(status({})).toBeNull();
});
