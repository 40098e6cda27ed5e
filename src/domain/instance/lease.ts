// The lease on a bridge. It decides which session may connect, and what happens if that session does not connect.
import { earliest } from "@gateway/protocol/units.ts";
import { pauseSession, startSession } from "./transitions.ts";
import { withCurrentReason } from "./session-events.ts";
import { banOverAt, INSTANCE_LIMITS, type InstanceState, type Lease, unchanged, type Step, wantsSession } from "./state.ts";

/** Events from an older generation are ignored. */
export type LeaseEvent =
  /** `queued` means that no bridge has capacity yet. `waitMs` is how long the sessions ahead of this one on its bridge may take. */
  | { type: "placed"; generation: number; queued: boolean; waitMs?: number | undefined }
  | { type: "attached"; generation: number }
  | { type: "detached"; generation: number }
  /** The bridge died, is draining, or released the session. */
  | { type: "bridge_lost"; generation: number }
  | { type: "hand_over"; generation: number };

export function applyLeaseEvent(state: InstanceState, trigger: LeaseEvent, now: number): Step {
  if (trigger.generation !== state.generation || !wantsSession(state)) return unchanged(state);
  switch (trigger.type) {
    case "placed": {
      const waiting = state.lease.phase === "placing" || state.lease.phase === "queued";
      const tries = triesOf(state.lease);
      const lease: Lease = trigger.queued
        ? { phase: "queued", since: now, tries }
        : { phase: "placing", since: now, assigned: true, tries, waitMs: trigger.waitMs };
      return waiting ? unchanged({ ...state, lease }) : unchanged(state);
    }
    case "attached":
      return unchanged({ ...state, lease: { phase: "attached" } });
    case "detached":
      return state.lease.phase === "attached" ? unchanged({ ...state, lease: { phase: "detached", since: now } }) : unchanged(state);
    case "bridge_lost":
      return move(state, now);
    case "hand_over":
      return finishing(move(state, now));
  }
}

export function applyDueTimers(state: InstanceState, now: number): Step {
  const due = duties(state).find((duty) => duty.at <= now);
  return due === undefined ? unchanged(state) : due.step(now);
}

export function nextTimerAt(state: InstanceState): number | null {
  return earliest(duties(state).map((duty) => duty.at));
}

type Duty = { at: number; step: (now: number) => Step };

function duties(state: InstanceState): Duty[] {
  const duties: Duty[] = [];
  const { lease, outage, restriction, unpaidSince } = state;
  if (unpaidSince !== null && wantsSession(state)) {
    duties.push({
      at: unpaidSince + INSTANCE_LIMITS.unpaidGraceMs,
      step: (now) => pauseSession(state, now),
    });
  }
  if (outage !== null && outage.noticed === undefined && state.status === "connecting") {
    const noticed: InstanceState = { ...state, outage: { ...outage, noticed: true } };
    duties.push({ at: outage.since + INSTANCE_LIMITS.outageNoticeMs, step: () => unchanged(noticed) });
  }
  if (lease.phase === "detached") duties.push({ at: lease.since + INSTANCE_LIMITS.redialMs, step: (now) => move(state, now) });
  if (lease.phase === "placing") {
    const { assigned = false, tries = 0, waitMs = 0 } = lease;
    // Repeating the request under the same generation is safe, because the pool assigns a generation to one bridge only.
    const step = (now: number): Step => (assigned ? move(state, now, tries + 1) : askAgain(state, "placing", now));
    duties.push({ at: lease.since + (assigned ? dialWithin(tries) + waitMs : dialWithin(0)), step });
  }
  if (lease.phase === "queued") {
    duties.push({ at: lease.since + INSTANCE_LIMITS.placementRetryMs, step: (now) => askAgain(state, "queued", now) });
  }
  if (restriction !== null && restriction.ends_at !== null) {
    duties.push({ at: restriction.ends_at * 1000, step: (now) => withCurrentReason({ ...state, restriction: null }, now) });
  }
  const banOver = banOverAt(state);
  if (banOver !== null) duties.push({ at: banOver, step: (now) => startSession(state, "resuming", now) });
  return duties;
}

function askAgain(state: InstanceState, phase: "placing" | "queued", now: number): Step {
  return { state: { ...state, lease: { phase, since: now, tries: triesOf(state.lease) } }, effects: [{ type: "place" }] };
}

const triesOf = (lease: Lease): number | undefined => (lease.phase === "placing" || lease.phase === "queued" ? lease.tries : undefined);

const dialWithin = (tries: number): number => Math.min(INSTANCE_LIMITS.dialMs * 2 ** tries, INSTANCE_LIMITS.dialAtMostMs);

function finishing({ state, effects }: Step): Step {
  return { state, effects: effects.map((effect) => (effect.type === "stop" ? { ...effect, finish: true } : effect)) };
}

/** Moves the session to another bridge, under a new generation. A session that never attached keeps its status reason. */
function move(state: InstanceState, now: number, tries = triesOf(state.lease)): Step {
  const neverUp = state.lease.phase === "placing" || state.lease.phase === "queued";
  const moved = startSession(state, neverUp ? state.reason : "moving", now);
  const droppedAt = state.status === "connected" && state.lease.phase === "detached" ? state.lease.since : moved.state.droppedAt;
  return { ...moved, state: { ...moved.state, droppedAt, lease: { phase: "placing", since: now, tries } } };
}
