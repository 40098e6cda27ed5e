// What the owner can command. Every command is legal in every state and idempotent (docs/internals/architecture.md, "Statuses of an instance").
import { LIMITS } from "../limits.ts";
import { endHold, endSession, holdSession, setConnected, setStatus, startSession, withPhone } from "./transitions.ts";
import { type InstanceState, unchanged, type Step, wantsSession } from "./state.ts";

export type OwnerCommand =
  | { type: "connect"; forceNewPairing: boolean }
  | { type: "disconnect" }
  | { type: "restart" }
  | { type: "logout" }
  /** The owner's subscription, as last pushed to this object. */
  | { type: "subscription"; active: boolean }
  /** Whether the owner's account is suspended, as last pushed to this object. */
  | { type: "suspension"; active: boolean }
  /** Its traffic goes another way to the network from now on. */
  | { type: "proxy_changed" }
  /** A pairing code was requested, and issued. */
  | { type: "pairing_code_asked" }
  | { type: "pairing_code_issued" }
  /** The network has taken the passkey's answer. */
  | { type: "passkey_taken" }
  /** The cloud API accepted or refused the number's token. */
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
        ? endHold({ ...state, unpaidSince: null }, now)
        : unchanged({ ...state, unpaidSince: state.unpaidSince ?? now });
    case "suspension":
      return command.active ? suspend(state, now) : endHold({ ...state, suspended: false }, now);
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

/** One without a session stays as it is, so that the end of the suspension has nothing to restore. */
function suspend(state: InstanceState, now: number): Step {
  if (state.suspended) return unchanged(state);
  const suspended = { ...state, suspended: true };
  return wantsSession(state) ? holdSession(suspended, now) : unchanged(suspended);
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

/** What the earlier proxy refused no longer counts, and an instance that it had stopped starts again. */
function proxyChanged(state: InstanceState, now: number): Step {
  if (state.suspended || state.status !== "failed" || state.reason !== "proxy_error") return unchanged({ ...state, proxyRefusals: 0 });
  return startSession(state, state.paired ? "resuming" : "starting", now);
}

/** A cloud API number has no session: no bridge, no generation. */
function verified(state: InstanceState, { phone, profileName }: Extract<OwnerCommand, { type: "cloud.verified" }>, now: number): Step {
  if (state.suspended) return unchanged(state);
  return setConnected({ ...withPhone(state, phone, now), profileName, isBusiness: true, held: false }, now);
}
