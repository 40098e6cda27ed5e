import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { type Effect, INSTANCE_LIMITS, type InstanceState, type StatusReason, type Step } from "./state.ts";

function enter(state: InstanceState, status: InstanceStatus, reason: StatusReason, now: number): InstanceState {
  const left = state.status === "connected" && status !== "connected";
  const entered = state.status !== "connected" && status === "connected";
  return {
    ...state,
    status,
    reason,
    changedAt: state.status === status && state.reason === reason ? state.changedAt : now,
    ban: reason === "temporarily_banned" ? state.ban : null,
    qr: status === "scan_qr" ? state.qr : null,
    passkey: reason === "passkey_wanted" ? state.passkey : null,
    reconnect: status === "connecting" ? state.reconnect : null,
    connectedAt: entered ? now : left ? null : state.connectedAt,
    lastConnectedAt: entered ? now : state.lastConnectedAt,
    lastDisconnectedAt: left ? now : state.lastDisconnectedAt,
    droppedAt: status !== "connecting" ? null : left ? now : state.droppedAt,
    syncing: status === "connected" && state.syncing,
  };
}

export function setStatus(state: InstanceState, status: InstanceStatus, reason: StatusReason, now: number): Step {
  return { state: enter(state, status, reason, now), effects: [] };
}

export function withPhone(state: InstanceState, phone: string, now: number): InstanceState {
  const { lastPhone, pairingForced } = state;
  const changed = lastPhone !== null && (lastPhone !== phone || pairingForced);
  const numberChange = changed ? { at: now, from: lastPhone, to: phone } : state.numberChange;
  return { ...state, phone, lastPhone: phone, pairingForced: false, numberChange };
}

export function setConnected(state: InstanceState, now: number): Step {
  const reason = state.restriction !== null ? "restricted" : state.syncing ? "syncing" : "ok";
  return setStatus(state, "connected", reason, now);
}

export function startSession(state: InstanceState, reason: StatusReason, now: number, before: readonly Effect[] = []): Step {
  const entered = enter(state, "connecting", reason, now);
  return {
    state: { ...entered, generation: state.generation + 1, lease: { phase: "placing", since: now }, reconnect: null, held: false },
    effects: [...(state.lease.phase === "none" ? [] : [{ type: "stop", logout: false } as const]), ...before, { type: "place" }],
  };
}

/** Ends the session without reconnecting. The new generation fences off a session that is still running. */
export function endSession(
  state: InstanceState,
  status: "disconnected" | "failed",
  reason: StatusReason,
  now: number,
  and: { logout?: boolean; wipe?: boolean } = {},
): Step {
  const ended = enter(state, status, reason, now);
  const hadLease = state.lease.phase !== "none";
  const forgotten = and.wipe === true ? { paired: false, phone: null, profileName: null, restriction: null, phoneUnseenSince: null } : {};
  return {
    state: {
      ...ended,
      ...forgotten,
      generation: hadLease ? state.generation + 1 : state.generation,
      lease: { phase: "none" },
      outage: null,
      proxyRefusals: 0,
      held: false,
    },
    effects: [
      // Logs out even without a lease, because an older session may still be ending and can then unlink the device.
      ...(hadLease || and.logout === true ? [{ type: "stop", logout: and.logout === true } as const] : []),
      ...(and.wipe === true ? [{ type: "wipe" } as const] : []),
    ],
  };
}

/** Ends the session until `resumeSession`. An unpaired session is not restarted later, because nobody would scan its QR code. */
export function pauseSession(state: InstanceState, now: number): Step {
  const { state: ended, effects } = endSession(state, "disconnected", "account_suspended", now);
  return { state: { ...ended, held: state.paired }, effects };
}

export function resumeSession(state: InstanceState, now: number): Step {
  const isUnpaid = state.unpaidSince !== null && state.unpaidSince + INSTANCE_LIMITS.unpaidGraceMs <= now;
  if (state.suspended || isUnpaid || state.reason !== "account_suspended") return { state, effects: [] };
  return state.held ? startSession(state, "resuming", now) : setStatus(state, "disconnected", "manual", now);
}

export function dropSession(state: InstanceState, now: number): Step {
  const stable = state.connectedAt !== null && now - state.connectedAt >= INSTANCE_LIMITS.stableMs;
  const before = stable ? null : state.outage;
  // Each drop starts a new outage, but only a stable connection resets the attempts.
  const outage = state.status === "connected" ? { since: now, attempts: before?.attempts ?? 0 } : (before ?? { since: now, attempts: 0 });
  const reason = state.reason === "pairing" ? "pairing" : "reconnecting";
  return setStatus({ ...state, outage }, "connecting", reason, now);
}
