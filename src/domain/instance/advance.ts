// The instance's state machine (docs/architecture.md, "Statuses of an instance"): a pure function of state, trigger and time.
import type { SessionEvent } from "../../protocol/events.ts";
import { announce, type Announcement, announcementDueAt } from "./notices.ts";
import { dueAt as leaseDueAt, lease, type LeaseTrigger, tick } from "./lease.ts";
import { report } from "./session-events.ts";
import type { Effect, InstanceState, Step } from "./state.ts";
import { obey, type Verb } from "./owner-commands.ts";

export type Trigger =
  | Verb
  | LeaseTrigger
  | { type: "session"; event: SessionEvent }
  | { type: "profile"; name: string | null }
  | { type: "tick" };

export type Advance = { state: InstanceState; effects: readonly Effect[]; announcements: readonly Announcement[] };

/** The next state, what the object has to do, and what customers are told. `now` is Unix ms. */
export function advance(state: InstanceState, trigger: Trigger, now: number): Advance {
  const { state: stepped, effects } = step(state, trigger, now);
  return { effects, ...announce(state, stepped, now) };
}

/** It had lost its session and is connected again, by itself. */
export function hasReturned(before: InstanceState, after: InstanceState): boolean {
  const byItself = before.reason === "reconnecting" || before.reason === "moving";
  return before.status === "connecting" && before.droppedAt !== null && byItself && after.status === "connected";
}

/** It tried to come back for as long as it may, and tries no more: its owner has to know. */
export function hasGivenUp(before: InstanceState, after: InstanceState): boolean {
  return before.status !== "failed" && after.status === "failed" && after.reason === "reconnect_exhausted";
}

/** When a `tick` is due next (Unix ms); null when never. */
export function dueAt(state: InstanceState): number | null {
  const dues = [leaseDueAt(state), announcementDueAt(state)].filter((due) => due !== null);
  return dues.length === 0 ? null : Math.min(...dues);
}

function step(state: InstanceState, trigger: Trigger, now: number): Step {
  switch (trigger.type) {
    case "session":
      return report(state, trigger.event, now);
    case "profile":
      return { state: { ...state, profileName: trigger.name }, effects: [] };
    case "placed":
    case "attached":
    case "detached":
    case "bridge_lost":
      return lease(state, trigger, now);
    case "tick":
      return tick(state, now);
    default:
      return obey(state, trigger, now);
  }
}
