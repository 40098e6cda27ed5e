// The owner's commands. Each is allowed in every state and idempotent (docs/internals/statuses.md, "Statuses of an instance").
import { LIMITS } from "../limits.ts";
import { resumeSession, endSession, pauseSession, setConnected, setStatus, startSession, withPhone } from "./transitions.ts";
import { type InstanceState, unchanged, type Step, wantsSession } from "./state.ts";

export type OwnerCommand =
  | { type: "connect"; forceNewPairing: boolean }
  | { type: "disconnect" }
  | { type: "restart" }
  | { type: "logout" }
  | { type: "subscription"; active: boolean }
  | { type: "suspension"; active: boolean }
  | { type: "proxy_changed" }
  | { type: "pairing_code_asked" }
  | { type: "pairing_code_issued" }
  | { type: "passkey_taken" }
  | { type: "cloud.verified"; phone: string; profileName: string | null }
  | { type: "cloud.refused" };

export function applyOwnerCommand(state: InstanceState, command: OwnerCommand, now: number): Step {
  switch (command.type) {
    case "connect":
      return state.suspended ? unchanged(state) : connect(state, command.forceNewPairing, now);
    case "disconnect":
      return disconnect(state, now);
    case "restart":
      if (state.suspended) return unchanged(state);
      return startSession({ ...state, outage: null, proxyRefusals: 0 }, "resuming", now);
    case "logout":
      return endSession(state, "disconnected", "logged_out", now, { logout: true, wipe: true });
    case "subscription":
      return command.active
        ? resumeSession({ ...state, unpaidSince: null }, now)
        : unchanged({ ...state, unpaidSince: state.unpaidSince ?? now });
    case "suspension":
      return command.active ? suspend(state, now) : resumeSession({ ...state, suspended: false }, now);
    case "proxy_changed":
      return proxyChanged(state, now);
    case "pairing_code_asked":
      return unchanged({ ...state, pairingCodes: [...state.pairingCodes, now].slice(-LIMITS.pairingCodes.requests) });
    case "pairing_code_issued":
      return state.status === "scan_qr" ? unchanged({ ...state, reason: "pairing_code_issued", changedAt: now }) : unchanged(state);
    case "passkey_taken":
      return state.reason === "passkey_wanted" ? setStatus(state, "connecting", "pairing", now) : unchanged(state);
    case "cloud.verified":
      return verified(state, command, now);
    case "cloud.refused":
      return endSession(state, "failed", "cloud_token_invalid", now);
  }
}

function disconnect(state: InstanceState, now: number): Step {
  if (state.status !== "disconnected") return endSession(state, "disconnected", "manual", now);
  return unchanged(state.held ? { ...state, held: false } : state);
}

/** Suspends an instance. An instance without a session stays unchanged, so that ending the suspension does not start one. */
function suspend(state: InstanceState, now: number): Step {
  if (state.suspended) return unchanged(state);
  const suspended = { ...state, suspended: true };
  return wantsSession(state) ? pauseSession(suspended, now) : unchanged(suspended);
}

function connect(state: InstanceState, forceNewPairing: boolean, now: number): Step {
  if (forceNewPairing) {
    const ended = endSession(state, "disconnected", "logged_out", now, { logout: true, wipe: true });
    const started = startSession({ ...ended.state, pairingForced: state.paired || state.pairingForced }, "starting", now);
    return { state: started.state, effects: [...ended.effects, ...started.effects] };
  }
  if (wantsSession(state)) return unchanged(state);
  return startSession(state, state.paired ? "resuming" : "starting", now);
}

/** Clears refusals caused by the previous proxy, and restarts an instance that they had stopped. */
function proxyChanged(state: InstanceState, now: number): Step {
  if (state.suspended || state.status !== "failed" || state.reason !== "proxy_error") return unchanged({ ...state, proxyRefusals: 0 });
  return startSession(state, state.paired ? "resuming" : "starting", now);
}

function verified(state: InstanceState, { phone, profileName }: Extract<OwnerCommand, { type: "cloud.verified" }>, now: number): Step {
  if (state.suspended) return unchanged(state);
  return setConnected({ ...withPhone(state, phone, now), profileName, isBusiness: true, held: false }, now);
}

/** A pairing code in two halves, as the phone shows it: `ABCD-EFGH`. */
export function formatPairingCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}
