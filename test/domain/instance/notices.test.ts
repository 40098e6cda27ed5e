import { describe, expect, it } from "vitest";
import { advance, type Trigger } from "@gateway/domain/instance/advance.ts";
import { INSTANCE_LIMITS, initialState, type InstanceState } from "@gateway/domain/instance/state.ts";
import { AN, attach, closed, connect, NOW, open, paired, PHONE, qr, run } from "./instances.ts";

const statusesAfter = (state: InstanceState, triggers: readonly Trigger[]) => {
  const notices: string[] = [];
  let reached = state;
  for (const trigger of triggers) {
    const step = advance(reached, trigger, NOW);
    reached = step.state;
    notices.push(...step.notices.map(({ event }) => (event.type === "instance.status" ? event.status : `qr ${event.attempt}`)));
  }
  return notices;
};

describe("customers", () => {
  it("are notified of a pairing: one scan_qr, each QR, one connect", () => {
    const starting = attach(run(initialState(NOW), [connect]));
    expect(statusesAfter(starting, [qr(1), qr(2), paired, closed("restart_required", 515), open])).toEqual([
      "scan_qr",
      "qr 1",
      "qr 2",
      "connected",
    ]);
  });

  it("are notified at once when the device is logged out, with the last phone", () => {
    const { notices } = advance(AN.connected, closed("logged_out", 401), NOW);
    expect(notices).toEqual([
      {
        key: "instance.status:3",
        event: {
          type: "instance.status",
          status: "disconnected",
          previous_status: "connected",
          reason: "logged_out",
          restriction: null,
          ban: null,
          phone: PHONE,
          profile_name: "Ana",
          will_reconnect: false,
          timestamp: NOW / 1000,
        },
      },
    ]);
  });

  it("are notified of a temporary ban: why, until when, and whether the number returns by itself", () => {
    const until = (ends_at: number | null) => closed("temporarily_banned", 402, { ban: { code: 104, ends_at } });
    const told = (endsAt: number | null) => advance(AN.connected, until(endsAt), NOW).notices[0]?.event;
    const ban = { code: 104, ends_at: NOW / 1000 + 3_600 };
    expect(told(ban.ends_at)).toMatchObject({ status: "failed", reason: "temporarily_banned", ban, will_reconnect: true });
    expect(told(null)).toMatchObject({ status: "failed", ban: { code: 104, ends_at: null }, will_reconnect: false });
  });

  it("are notified once of a refused version, also when the number was away before", () => {
    const away = advance(AN.reconnecting, { type: "tick" }, NOW + INSTANCE_LIMITS.debounceMs).state;
    expect(away.announced).toMatchObject({ status: "connecting", reason: "reconnecting" });
    const refused = closed("client_outdated", 405, { waits: true });
    const told = advance(away, refused, NOW + INSTANCE_LIMITS.debounceMs);
    expect(told.notices).toMatchObject([{ event: { status: "connecting", reason: "waiting_for_update", will_reconnect: true } }]);
    expect(advance(told.state, refused, NOW + INSTANCE_LIMITS.debounceMs).notices).toEqual([]);
  });

  it("are not notified of commands that change nothing", () => {
    expect(statusesAfter(AN.untouched, [{ type: "disconnect" }, connect, { type: "disconnect" }])).toEqual([]);
    expect(statusesAfter(AN.connected, [connect, connect])).toEqual([]);
  });

  it("are notified of a resume that fails, though the number was disconnected before", () => {
    expect(statusesAfter(AN.manual, [connect, closed("logged_out", 401)])).toEqual(["disconnected"]);
  });

  it("never get the same notice under two keys", () => {
    const seen = new Set<string>();
    let state: InstanceState = initialState(NOW);
    for (const trigger of [
      connect,
      qr(1),
      qr(2),
      paired,
      open,
      closed("banned"),
      connect,
      open,
      { type: "disconnect" },
    ] satisfies Trigger[]) {
      const step = advance(state, trigger, NOW);
      for (const { key } of step.notices) expect(seen.has(key)).toBe(false);
      for (const { key } of step.notices) seen.add(key);
      state = step.state;
    }
    expect(seen.size).toBe(7);
  });
});
