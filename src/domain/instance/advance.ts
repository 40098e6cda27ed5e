// The instance's state machine (docs/internals/statuses.md, "Statuses of an instance"): a pure function of state, trigger and time.
import type { SessionEvent } from "@gateway/protocol/events.ts";
import { earliest } from "@gateway/protocol/units.ts";
import { takeNotices, type InstanceNotice, dropNoticeDueAt } from "./notices.ts";
import { nextTimerAt as leaseDueAt, applyLeaseEvent, type LeaseEvent, applyDueTimers } from "./lease.ts";
import { applySessionEvent } from "./session-events.ts";
import type { Effect, InstanceState, Step } from "./state.ts";
import { applyOwnerCommand, type OwnerCommand } from "./owner-commands.ts";

export type Trigger =
  | OwnerCommand
  | LeaseEvent
  | { type: "session"; event: SessionEvent }
  | { type: "profile"; name: string | null }
  | { type: "tick" };

export type Advance = { state: InstanceState; effects: readonly Effect[]; notices: readonly InstanceNotice[] };

export function advance(state: InstanceState, trigger: Trigger, now: number): Advance {
  const { state: stepped, effects } = step(state, trigger, now);
  return { effects, ...takeNotices(state, stepped, now) };
}

export function hasReconnected(before: InstanceState, after: InstanceState): boolean {
  const byItself = before.reason === "reconnecting" || before.reason === "moving";
  return before.status === "connecting" && before.droppedAt !== null && byItself && after.status === "connected";
}

/** True if the owner should be notified that the number has been offline for a long time. The session keeps trying to reconnect. */
export function isAwayForLong(before: InstanceState, after: InstanceState): boolean {
  return before.outage?.noticed === undefined && after.outage?.noticed === true;
}

/** Also true after a forced new pairing. */
export function hasChangedNumber(before: InstanceState, after: InstanceState): boolean {
  return after.numberChange !== null && after.numberChange !== before.numberChange;
}

/** When the next `tick` is needed (Unix ms), or null if none is. */
export function nextTickAt(state: InstanceState): number | null {
  return earliest([leaseDueAt(state), dropNoticeDueAt(state)]);
}

function step(state: InstanceState, trigger: Trigger, now: number): Step {
  switch (trigger.type) {
    case "session":
      return applySessionEvent(state, trigger.event, now);
    case "profile":
      return { state: { ...state, profileName: trigger.name }, effects: [] };
    case "placed":
    case "attached":
    case "detached":
    case "bridge_lost":
    case "hand_over":
      return applyLeaseEvent(state, trigger, now);
    case "tick":
      return applyDueTimers(state, now);
    default:
      return applyOwnerCommand(state, trigger, now);
  }
}
