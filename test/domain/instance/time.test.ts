// An instance's own actions as time passes.
import { describe, expect, it } from "vitest";
import { advance, isAwayForLong, nextTickAt, type Trigger } from "@gateway/domain/instance/advance.ts";
import { INSTANCE_LIMITS, type InstanceState } from "@gateway/domain/instance/state.ts";
import {
  AN,
  attach,
  closed,
  connect,
  NOW,
  open,
  paired,
  qr,
  reconnecting,
  restricted,
  run,
  session,
  status,
  suspension,
} from "./instances.ts";

const tick = { type: "tick" } as const;

/** Advances time to each due time up to `until`. */
function wait(state: InstanceState, until: number): { state: InstanceState; effects: string[]; notified: string[] } {
  let reached = state;
  const effects: string[] = [];
  const notified: string[] = [];
  for (let due = nextTickAt(reached); due !== null && due <= until; due = nextTickAt(reached)) {
    const step = advance(reached, tick, due);
    expect(step.state).not.toEqual(reached);
    reached = step.state;
    effects.push(...step.effects.map((effect) => effect.type));
    notified.push(...step.notices.map(({ event }) => (event.type === "instance.status" ? `${event.status}/${event.reason}` : event.type)));
  }
  return { state: reached, effects, notified };
}

describe("a bridge", () => {
  const detached = run(AN.connected, [{ type: "detached", generation: AN.connected.generation }]);

  it("keeps its session if it redials within the time that a deploy gives it", () => {
    expect(status(detached)).toBe("connected/ok");
    const back = attach(wait(detached, NOW + INSTANCE_LIMITS.redialMs - 1).state);
    expect(back.generation).toBe(AN.connected.generation);
    expect(nextTickAt(back)).toBeNull();
  });

  it("loses its session to another bridge, under a new generation, if it does not redial in time", () => {
    const { state, effects } = wait(detached, NOW + INSTANCE_LIMITS.redialMs);
    expect(status(state)).toBe("connecting/moving");
    expect(state.generation).toBe(AN.connected.generation + 1);
    expect(effects).toEqual(["stop", "place"]);
  });

  it("is replaced after 10 s if it was assigned a session and never dials in", () => {
    const placing = run(AN.untouched, [connect, { type: "placed", generation: 1, queued: false }]);
    const { state, effects } = wait(placing, NOW + INSTANCE_LIMITS.dialMs);
    expect(status(state)).toBe("connecting/starting");
    expect(state.generation).toBe(placing.generation + 1);
    expect(effects).toContain("place");
  });

  it("gets twice as long to dial in as the one before, up to 80 s, while none of them does", () => {
    let state = run(AN.untouched, [connect, { type: "placed", generation: 1, queued: false }]);
    const times = [10, 20, 40, 80, 80].map((seconds) => seconds * 1_000);
    for (const [tries, ms] of times.entries()) {
      const until = (at: number) => advance(state, { type: "tick" }, at).state.generation;
      const since = state.lease.phase === "placing" ? state.lease.since : Number.NaN;
      expect([until(since + ms - 1), until(since + ms)]).toEqual([tries + 1, tries + 2]);
      const again = advance(state, { type: "tick" }, since + ms).state;
      // The pool responds.
      state = advance(again, { type: "placed", generation: again.generation, queued: false }, since + ms).state;
    }
    expect(attach(state).lease, "earlier waits are forgotten once a bridge has dialled in").toEqual({ phase: "attached" });
  });

  it("gets the time until it is the session's turn if it was given many sessions at once", () => {
    const placed = run(AN.untouched, [connect, { type: "placed", generation: 1, queued: false, waitMs: 30_000 }]);
    expect(nextTickAt(placed)).toBe(NOW + 30_000 + INSTANCE_LIMITS.dialMs);
    const { state } = advance(placed, tick, NOW + 30_000 + INSTANCE_LIMITS.dialMs);
    const next = advance(state, { type: "placed", generation: 2, queued: false }, NOW).state;
    expect(nextTickAt(next), "the next bridge waits for its own turn only").toBe(NOW + 2 * INSTANCE_LIMITS.dialMs);
  });

  it("is requested again under the same generation until the pool answers", () => {
    const placing = run(AN.untouched, [connect]);
    const { state, effects } = wait(placing, NOW + 3 * INSTANCE_LIMITS.dialMs);
    expect(effects).toEqual(["place", "place", "place"]);
    expect([status(state), state.generation]).toEqual(["connecting/starting", placing.generation]);
  });

  it("can neither attach, detach nor lose the session if its generation is older", () => {
    const generation = AN.connected.generation - 1;
    for (const type of ["attached", "detached", "bridge_lost"] as const) {
      expect(advance(AN.connected, { type, generation }, NOW).state).toEqual(AN.connected);
    }
  });

  it("is requested again every ten minutes, under the same generation, while it is queued", () => {
    const queued = run(AN.untouched, [connect, { type: "placed", generation: 1, queued: true }]);
    const { state, effects } = wait(queued, NOW + 3 * INSTANCE_LIMITS.placementRetryMs);
    expect(effects).toEqual(["place", "place", "place"]);
    expect(state.generation).toBe(queued.generation);
  });
});

describe("a drop", () => {
  it("is reported after 10 s, once, with will_reconnect", () => {
    expect(advance(AN.connected, closed("lost", 428), NOW).notices).toEqual([]);
    expect(wait(AN.reconnecting, NOW + INSTANCE_LIMITS.debounceMs - 1).notified).toEqual([]);
    expect(wait(AN.reconnecting, NOW + 60_000).notified).toEqual(["connecting/reconnecting"]);
    const { notices } = advance(AN.reconnecting, tick, NOW + INSTANCE_LIMITS.debounceMs);
    expect(notices[0]?.event).toMatchObject({ status: "connecting", previous_status: "connected", will_reconnect: true });
  });

  it("is never reported if it ends within 10 s", () => {
    const mended = advance(AN.reconnecting, open, NOW + 9_999);
    expect(mended.notices).toEqual([]);
    expect(wait(mended.state, NOW + 60_000).notified).toEqual([]);
  });

  it("is counted from when the bridge disconnected", () => {
    const { generation } = AN.connected;
    const detached = run(AN.connected, [{ type: "detached", generation }]);
    const moved = advance(detached, { type: "bridge_lost", generation }, NOW + 3_000).state;
    expect(nextTickAt(attach(moved, NOW + 3_500))).toBe(NOW + INSTANCE_LIMITS.debounceMs);
  });
});

describe("an outage", () => {
  it("is never given up, however often a reconnect was tried", () => {
    let state = run(AN.connected, [closed("lost", 428)]);
    for (let attempt = 1; attempt <= 1_000; attempt++) state = run(state, [reconnecting(attempt)]);
    expect(status(state)).toBe("connecting/reconnecting");
    expect(state.reconnect).toEqual({ attempt: 1_000, nextAt: NOW + 4_000 });
  });

  it("is reported to the owner once, after an hour, and continues for days", () => {
    const noticed = ({ state }: { state: InstanceState }) => state.outage?.noticed;
    expect(noticed(wait(AN.reconnecting, NOW + INSTANCE_LIMITS.outageNoticeMs - 1))).toBeUndefined();
    const hour = wait(AN.reconnecting, NOW + INSTANCE_LIMITS.outageNoticeMs);
    expect(noticed(hour)).toBe(true);
    expect(isAwayForLong(AN.reconnecting, hour.state)).toBe(true);
    const { state, notified } = wait(hour.state, NOW + 72 * INSTANCE_LIMITS.outageNoticeMs);
    expect(status(state)).toBe("connecting/reconnecting");
    expect(isAwayForLong(hour.state, state)).toBe(false);
    expect(notified).toEqual([]);
    // The next outage counts separately.
    const back = advance(state, open, NOW + 73 * INSTANCE_LIMITS.outageNoticeMs).state;
    expect(advance(back, closed("lost", 428), NOW + 74 * INSTANCE_LIMITS.outageNoticeMs).state.outage?.noticed).toBeUndefined();
  });

  it("is reset after 5 minutes connected, not before", () => {
    const attemptsAfter = (connectedMs: number) => {
      const back = advance(AN.reconnecting, open, NOW).state;
      return advance(back, closed("lost", 428), NOW + connectedMs).state.outage?.attempts;
    };
    expect(attemptsAfter(INSTANCE_LIMITS.stableMs - 1)).toBe(1);
    expect(attemptsAfter(INSTANCE_LIMITS.stableMs)).toBe(0);
  });

  it("is final after two bad sessions, but only within the hour", () => {
    const once = run(AN.connected, [closed("bad_session", 500), open]);
    expect(advance(once, closed("bad_session", 500), NOW + INSTANCE_LIMITS.badSessionWindowMs - 1).state.status).toBe("failed");
    expect(advance(once, closed("bad_session", 500), NOW + INSTANCE_LIMITS.badSessionWindowMs).state.status).toBe("connecting");
  });
});

describe("a restriction", () => {
  it("is reported, expires at its end, and is reported again", () => {
    const set = advance(AN.connected, restricted(NOW / 1000 + 3_600), NOW);
    expect(set.notices[0]?.event).toMatchObject({ status: "connected", reason: "restricted", previous_status: "connected" });
    const { state, notified } = wait(set.state, NOW + 3_600_000);
    expect(state.restriction).toBeNull();
    expect(notified).toEqual(["connected/ok"]);
  });
});

describe("a subscription", () => {
  it("keeps the session for 7 days after its end", () => {
    const unpaid = run(AN.connected, [{ type: "subscription", active: false }]);
    expect(wait(unpaid, NOW + INSTANCE_LIMITS.unpaidGraceMs - 1).state.status).toBe("connected");
    expect(status(wait(unpaid, NOW + INSTANCE_LIMITS.unpaidGraceMs).state)).toBe("disconnected/account_suspended");
    expect(nextTickAt(run(unpaid, [{ type: "subscription", active: true }]))).toBeNull();
  });

  it("brings the session back once it is active again, unless the account is suspended", () => {
    const paid: Trigger = { type: "subscription", active: true };
    const ended = wait(run(AN.connected, [{ type: "subscription", active: false }]), NOW + INSTANCE_LIMITS.unpaidGraceMs).state;
    const later = NOW + INSTANCE_LIMITS.unpaidGraceMs + 1;
    expect(status(run(ended, [paid], later))).toBe("connecting/resuming");
    const suspended = run(ended, [suspension(true)], later);
    expect(status(run(suspended, [suspension(false)], later))).toBe("disconnected/account_suspended");
    expect(status(run(suspended, [paid], later))).toBe("disconnected/account_suspended");
    expect(status(run(suspended, [paid, suspension(false)], later))).toBe("connecting/resuming");
    expect(status(run(ended, [{ type: "disconnect" }, paid], later))).toBe("disconnected/manual");
  });
});

describe("a temporary ban", () => {
  const hour = 3_600_000;
  const until = (ends_at: number | null) => closed("temporarily_banned", 402, { ban: { code: 101, ends_at } });
  const banned = run(AN.connected, [until(NOW / 1000 + 3_600)]);

  it("ends by itself after 3,600 s, and the number reconnects", () => {
    expect(status(banned)).toBe("failed/temporarily_banned");
    expect(banned.ban).toEqual({ code: 101, endsAt: NOW + hour });
    expect(wait(banned, NOW + hour - 1)).toEqual({ state: banned, effects: [], notified: [] });
    const { state, effects } = wait(banned, NOW + hour);
    expect({ status: status(state), effects, ban: state.ban }).toEqual({ status: "connecting/resuming", effects: ["place"], ban: null });
    expect(status(run(attach(state, NOW + hour), [open], NOW + hour))).toBe("connected/ok");
  });

  it("is measured by our clock", () => {
    const late = run(AN.connected, [until(NOW / 1000 + 3_600)], NOW + 500_000);
    expect(late.ban?.endsAt).toBe(NOW + 500_000 + hour);
  });

  it("is reported as a ban if it follows an unlinking", () => {
    const unlinked = run(AN.connected, [closed("logged_out", 401)]);
    expect(status(unlinked)).toBe("disconnected/logged_out");
    const again = attach(run(unlinked, [connect]));
    const told = run(again, [qr(), paired, closed("restart_required", 515), until(NOW / 1000 + 3_600)]);
    expect(status(told)).toBe("failed/temporarily_banned");
    expect(status(wait(told, NOW + hour).state)).toBe("connecting/resuming");
  });

  it("waits for its owner if it has no end, or the number is not paired", () => {
    expect(nextTickAt(run(AN.connected, [until(null)]))).toBeNull();
    expect(nextTickAt(run(AN.connected, [closed("temporarily_banned", 402)]))).toBeNull();
    expect(nextTickAt(run(attach(run(AN.untouched, [connect])), [until(NOW / 1000 + 3_600)]))).toBeNull();
  });

  it("ends during a suspension without a session, and after it with one", () => {
    const suspended = run(banned, [suspension(true)]);
    expect(nextTickAt(suspended)).toBeNull();
    const free = run(suspended, [suspension(false)], NOW + 2 * hour);
    expect(status(wait(free, NOW + 2 * hour).state)).toBe("connecting/resuming");
  });

  it("is forgotten when the owner connects", () => {
    expect(run(banned, [connect]).ban).toBeNull();
  });
});

describe("a version that the network refuses", () => {
  it("is no outage of the number, however long it lasts, and is reported as a drop", () => {
    const waiting = run(AN.connected, [closed("client_outdated", 405, { waits: true })]);
    const { state, effects, notified } = wait(waiting, NOW + 48 * 3_600_000);
    expect({ status: status(state), effects, notified }).toEqual({
      status: "connecting/waiting_for_update",
      effects: [],
      notified: ["connecting/waiting_for_update"],
    });
    expect(state.outage).toBeNull();
    expect(status(run(state, [open], NOW + 48 * 3_600_000))).toBe("connected/ok");
  });
});

describe("a phone that is switched off", () => {
  const seconds = NOW / 1000;
  const unseen = (since: number | null, timestamp = seconds) => session({ type: "session.phone", unseen_since: since, timestamp });

  it("is dated by our clock, and forgotten once the phone is back or linked anew", () => {
    expect(run(AN.connected, [unseen(seconds - 900_000)]).phoneUnseenSince).toBe(NOW - 900_000_000);
    expect(run(AN.connected, [unseen(100, 900_100)]).phoneUnseenSince).toBe(NOW - 900_000_000);
    // The same report again, delayed by one more second.
    expect(run(AN.connected, [unseen(seconds - 900_000), unseen(seconds - 900_000, seconds - 1)]).phoneUnseenSince).toBe(NOW - 900_000_000);
    for (const end of [unseen(null), paired, closed("logged_out", 401)])
      expect(run(AN.connected, [unseen(seconds - 900_000), end]).phoneUnseenSince).toBe(null);
  });

  it("changes no status, and is reported to no webhook", () => {
    const { state, effects, notices } = advance(AN.connected, unseen(seconds - 900_000), NOW);
    expect([status(state), effects, notices]).toEqual([status(AN.connected), [], []]);
  });
});
