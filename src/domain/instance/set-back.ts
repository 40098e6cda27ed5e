import { HOUR_MS } from "@gateway/protocol/units.ts";
import { notAhead } from "../set-back.ts";
import type { InstanceState, Lease } from "./state.ts";

const PAST = [
  "changedAt",
  "connectedAt",
  "droppedAt",
  "lastConnectedAt",
  "lastDisconnectedAt",
  "badSessionAt",
  "unpaidSince",
  "phoneUnseenSince",
] as const satisfies readonly (keyof InstanceState)[];

/** Longer than any reconnect delay of a bridge. */
const LONGEST_BACKOFF_MS = HOUR_MS;

/** Resets times from before a clock step to now; same object if nothing changes. Ban end times are kept. */
export function withoutTimesAhead(state: InstanceState, now: number): InstanceState {
  const past = <T extends number | null>(at: T): T | number => (at === null ? at : notAhead(at, 0, now));
  const { lease, outage, numberChange, reconnect } = state;
  const mended: InstanceState = {
    ...state,
    ...Object.fromEntries(PAST.map((name) => [name, past(state[name])])),
    lease: leaseOf(lease, now),
    outage: outage && { ...outage, since: past(outage.since) },
    numberChange: numberChange && { ...numberChange, at: past(numberChange.at) },
    reconnect: reconnect && { ...reconnect, nextAt: notAhead(reconnect.nextAt, LONGEST_BACKOFF_MS, now) },
  };
  return JSON.stringify(mended) === JSON.stringify(state) ? state : mended;
}

function leaseOf(lease: Lease, now: number): Lease {
  return "since" in lease ? { ...lease, since: notAhead(lease.since, 0, now) } : lease;
}
