import type { SessionEvent } from "@gateway/protocol/events.ts";
import { setStatus, setConnected, dropSession, endSession, withPhone } from "./transitions.ts";
import { INSTANCE_LIMITS, type InstanceState, unchanged, type Step, wantsSession } from "./state.ts";

const LOCKED = 403;
const BAD_SESSION = 500;

type Event<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

/** `event` must belong to the state's generation, so that late events from an ended session have no effect. */
export function applySessionEvent(state: InstanceState, event: SessionEvent, now: number): Step {
  if (!wantsSession(state)) return unchanged(state);
  switch (event.type) {
    case "session.qr":
      return qr(state, event, now);
    case "session.passkey": {
      const { options, expires_at } = event;
      return setStatus(
        { ...state, passkey: { options, expires_at: byOurClock(expires_at, event, now) } },
        "connecting",
        "passkey_wanted",
        now,
      );
    }
    case "session.paired":
      return setStatus(
        {
          ...withPhone(state, event.phone, now),
          paired: true,
          platform: event.platform ?? state.platform,
          isBusiness: event.is_business,
          phoneUnseenSince: null,
        },
        "connecting",
        "pairing",
        now,
      );
    case "session.open":
      return open(state, event, now);
    case "session.closed":
      return closed(state, event, now);
    case "session.reconnecting":
      return reconnecting(state, event, now);
    case "session.gave_up":
      return endSession(state, "failed", event.reason, now);
    case "session.restriction":
      return withCurrentReason({ ...state, restriction: event.restriction }, now);
    case "session.phone": {
      if (event.unseen_since === null) return unchanged({ ...state, phoneUnseenSince: null });
      // The event repeats daily with a slightly different time. Only the first time is stored, so that the notice stays the same.
      return unchanged({ ...state, phoneUnseenSince: state.phoneUnseenSince ?? byOurClock(event.unseen_since, event, now) * 1000 });
    }
    case "session.history":
      return state.status === "connected" ? withCurrentReason({ ...state, syncing: event.state === "running" }, now) : unchanged(state);
  }
}

export function withCurrentReason(state: InstanceState, now: number): Step {
  return state.status === "connected" ? setConnected(state, now) : unchanged(state);
}

function qr(state: InstanceState, event: Event<"session.qr">, now: number): Step {
  const hasCode = state.reason === "pairing_code_issued" && event.code !== "refused";
  const reason = hasCode ? "pairing_code_issued" : "waiting_scan";
  const { raw, expires_at, attempt } = event;
  return setStatus({ ...state, qr: { raw, expires_at: byOurClock(expires_at, event, now), attempt } }, "scan_qr", reason, now);
}

/** Converts a time (Unix seconds) on the bridge's clock to ours by its age, because even a wrong clock measures durations correctly. */
function byOurClock(at: number, { timestamp }: SessionEvent, now: number): number {
  return Math.floor(now / 1000) + at - timestamp;
}

function open(state: InstanceState, event: Event<"session.open">, now: number): Step {
  return setConnected(
    {
      ...withPhone(state, event.phone, now),
      paired: true,
      isBusiness: event.is_business,
      proxyRefusals: 0,
      profileName: event.profile_name ?? state.profileName,
      platform: event.platform ?? state.platform,
    },
    now,
  );
}

function closed(state: InstanceState, event: Event<"session.closed">, now: number): Step {
  switch (event.reason) {
    case "lost":
    case "restart_required":
      return dropSession(state, now);
    case "bad_session": {
      // Any other code means that the network no longer knows the device, which is final. A `failure 500` may be temporary.
      if (event.code !== BAD_SESSION) return endSession(state, "failed", "bad_session", now);
      const again = state.badSessionAt !== null && now - state.badSessionAt < INSTANCE_LIMITS.badSessionWindowMs;
      return again ? endSession(state, "failed", "bad_session", now) : dropSession({ ...state, badSessionAt: now }, now);
    }
    case "proxy_error": {
      const proxyRefusals = state.proxyRefusals + 1;
      return proxyRefusals >= INSTANCE_LIMITS.maxProxyRefusals
        ? endSession(state, "failed", "proxy_error", now)
        : dropSession({ ...state, proxyRefusals }, now);
    }
    // The session is not restarted automatically, because a session whose code nobody scans would restart forever.
    case "qr_timeout":
    case "passkey_timeout":
      return endSession(state, "disconnected", event.reason, now);
    case "logged_out":
      return endSession(state, "disconnected", "logged_out", now, { wipe: true });
    // The session is not reconnected, because it and the other device would replace each other forever.
    case "replaced":
      return endSession(state, "disconnected", "replaced", now);
    case "banned":
      return endSession(state, "failed", event.code === LOCKED ? "locked" : "banned", now);
    case "temporarily_banned": {
      const { code = null, ends_at: endsAt = null } = event.ban ?? {};
      const ban = { code, endsAt: endsAt === null ? null : byOurClock(endsAt, event, now) * 1000 };
      return endSession({ ...state, ban }, "failed", "temporarily_banned", now);
    }
    case "client_outdated":
      return event.waits === true ? waitForUpdate(state, now) : endSession(state, "failed", "client_outdated", now);
    case "multidevice_mismatch":
    case "passkey_unsupported":
      return endSession(state, "failed", event.reason, now);
  }
}

/** Ends the current outage, because nothing is wrong with the number. */
function waitForUpdate(state: InstanceState, now: number): Step {
  return setStatus({ ...dropSession(state, now).state, outage: null, reconnect: null }, "connecting", "waiting_for_update", now);
}

function reconnecting(state: InstanceState, event: Event<"session.reconnecting">, now: number): Step {
  const dropped = state.status === "connecting" && state.outage !== null ? state : dropSession(state, now).state;
  const outage = dropped.outage ?? { since: now, attempts: 0 };
  const attempts = outage.attempts + 1;
  return setStatus(
    { ...dropped, outage: { ...outage, attempts }, reconnect: { attempt: attempts, nextAt: byOurClock(event.next_at, event, now) * 1000 } },
    "connecting",
    "reconnecting",
    now,
  );
}
