// Notices about connected, dropped and failed instances, and about QR codes. Each is sent once. `connecting` waits for the debounce.
import type { GatewayEvent } from "../gateway-event.ts";
import { banOverAt, INSTANCE_LIMITS, type InstanceState } from "./state.ts";

type EventOf<T extends GatewayEvent["type"]> = Extract<GatewayEvent, { type: T }>;

/** `key` is the dedupe key. The object adds the image of a QR code. */
export type InstanceNotice =
  | { key: string; event: EventOf<"instance.status"> }
  | { key: string; event: Omit<EventOf<"instance.qr">, "image"> };

/** Returns the notices caused by a step, and the state that records them. `before` is the state before the step. */
export function takeNotices(before: InstanceState, after: InstanceState, now: number): { state: InstanceState; notices: InstanceNotice[] } {
  const notices: InstanceNotice[] = [];
  let state = after;
  if (isNews(after, now)) {
    const { status, reason, restriction, ban } = after;
    const count = after.announced.count + 1;
    state = { ...after, announced: { status, reason, count } };
    notices.push({
      key: `instance.status:${count}`,
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
      key: `instance.qr:${after.generation}:${expires_at}:${attempt}`,
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
  // The connection is not lost, because the session is waiting for another client version.
  if (reason === "waiting_for_update" && announced.status === "connecting") return announced.reason !== reason;
  if (status === "connecting") return (dropNoticeDueAt(state) ?? Number.POSITIVE_INFINITY) <= now;
  if (status !== announced.status) return true;
  if (status === "scan_qr") return false;
  if (status === "connected") return (reason === "restricted") !== (announced.reason === "restricted");
  return reason !== announced.reason && reason !== "manual";
}
