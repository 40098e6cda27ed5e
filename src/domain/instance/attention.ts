// Which status reasons need the owner to act, and how the dashboard can help.
import { type StatusReason, banOverAt, INSTANCE_LIMITS, type InstanceState } from "./state.ts";
import type { GatewayEvent } from "../gateway-event.ts";

/** `pair`: link the number again. `connect`: start the session again. `read`: the connection's page explains what to do. */
export type Help = "pair" | "connect" | "read";

export const HELP: Record<StatusReason, Help | null> = {
  created: null,
  manual: null,
  logged_out: "pair",
  qr_timeout: "pair",
  passkey_timeout: "pair",
  replaced: "connect",
  account_suspended: "read",
  starting: null,
  resuming: null,
  pairing: null,
  reconnecting: null,
  moving: null,
  waiting_for_update: null,
  passkey_wanted: "pair",
  waiting_scan: null,
  pairing_code_issued: null,
  ok: null,
  syncing: null,
  restricted: "read",
  banned: "read",
  locked: "read",
  temporarily_banned: "read",
  bad_session: "pair",
  reconnect_exhausted: "connect",
  proxy_error: "read",
  client_outdated: "connect",
  multidevice_mismatch: "pair",
  cloud_token_invalid: "read",
  passkey_unsupported: "pair",
  internal: "connect",
};

/** `reason` as stored in D1; it may be one that this release does not know. */
export function helpFor(reason: string | null): Help | null {
  return reason !== null && Object.hasOwn(HELP, reason) ? HELP[reason as StatusReason] : null;
}

export const ATTENTION_REASONS = Object.entries(HELP).flatMap(([reason, help]) => (help === null ? [] : [reason]));

// Notices: connected, dropped, failed, QR code. Each is sent once; `connecting` only after the debounce time.
type EventOf<T extends GatewayEvent["type"]> = Extract<GatewayEvent, { type: T }>;

/** `src` is the dedupe key. The image of a QR code is added by the object. */
export type InstanceNotice =
  | { src: string; event: EventOf<"instance.status"> }
  | { src: string; event: Omit<EventOf<"instance.qr">, "image"> };

/** Returns the notices that a step causes, and the state that records them. `before`: the state before the step. */
export function takeNotices(before: InstanceState, after: InstanceState, now: number): { state: InstanceState; notices: InstanceNotice[] } {
  const notices: InstanceNotice[] = [];
  let state = after;
  if (isNews(after, now)) {
    const { status, reason, restriction, ban } = after;
    const count = after.announced.count + 1;
    state = { ...after, announced: { status, reason, count } };
    notices.push({
      src: `instance.status:${count}`,
      event: {
        type: "instance.status",
        status,
        previous_status: after.announced.status,
        reason,
        restriction,
        ban: ban === null ? null : { code: ban.code, ends_at: ban.endsAt === null ? null : Math.floor(ban.endsAt / 1000) },
        phone: after.phone ?? before.phone,
        profile_name: after.profileName ?? before.profileName,
        will_reconnect: (status === "connecting" && reason !== "passkey_wanted") || banOverAt(after) !== null,
        timestamp: Math.floor(now / 1000),
      },
    });
  }
  if (after.qr !== null && after.qr !== before.qr) {
    const { raw, expires_at, attempt } = after.qr;
    notices.push({
      src: `instance.qr:${after.generation}:${expires_at}:${attempt}`,
      event: { type: "instance.qr", raw, expires_at, attempt, timestamp: Math.floor(now / 1000) },
    });
  }
  return { state, notices };
}

export function dropNoticeDueAt(state: InstanceState): number | null {
  const isPending = state.status === "connecting" && state.droppedAt !== null && state.announced.status === "connected";
  return isPending ? (state.droppedAt ?? 0) + INSTANCE_LIMITS.debounceMs : null;
}

function isNews(state: InstanceState, now: number): boolean {
  const { announced, status, reason } = state;
  if (reason === "passkey_wanted") return announced.reason !== reason;
  // Not a drop: the session is waiting for another client version.
  if (reason === "waiting_for_update" && announced.status === "connecting") return announced.reason !== reason;
  if (status === "connecting") return (dropNoticeDueAt(state) ?? Number.POSITIVE_INFINITY) <= now;
  if (status !== announced.status) return true;
  if (status === "scan_qr") return false;
  if (status === "connected") return (reason === "restricted") !== (announced.reason === "restricted");
  return reason !== announced.reason && reason !== "manual";
}
