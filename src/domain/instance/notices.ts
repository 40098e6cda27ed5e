// What customers are told of the instance: four things (connected, dropped, failed,
// needs a QR scan), each once. `connecting` is announced only for a drop that lasted.
import type { GatewayEvent } from "../gateway-event.ts";
import { INSTANCE_LIMITS, type InstanceState } from "./state.ts";

type EventOf<T extends GatewayEvent["type"]> = Extract<GatewayEvent, { type: T }>;

/** `src` names it for ever. The image of a QR is drawn by the object. */
export type InstanceNotice =
  | { src: string; event: EventOf<"instance.status"> }
  | { src: string; event: Omit<EventOf<"instance.qr">, "image"> };

/** The state after announcing, and what to announce. `before` is the state that the trigger found. */
export function takeNotices(before: InstanceState, after: InstanceState, now: number): { state: InstanceState; notices: InstanceNotice[] } {
  const notices: InstanceNotice[] = [];
  let state = after;
  if (isNews(after, now)) {
    const { status, reason, restriction } = after;
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
        phone: after.phone ?? before.phone,
        profile_name: after.profileName ?? before.profileName,
        will_reconnect: status === "connecting",
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

/** When a lasting drop is to be announced; null when there is none that has not been. */
export function dropNoticeDueAt(state: InstanceState): number | null {
  const isPending = state.status === "connecting" && state.droppedAt !== null && state.announced.status === "connected";
  return isPending ? (state.droppedAt ?? 0) + INSTANCE_LIMITS.debounceMs : null;
}

function isNews(state: InstanceState, now: number): boolean {
  const { announced, status, reason } = state;
  if (status === "connecting") return (dropNoticeDueAt(state) ?? Number.POSITIVE_INFINITY) <= now;
  if (status !== announced.status) return true;
  if (status === "scan_qr") return false;
  if (status === "connected") return (reason === "restricted") !== (announced.reason === "restricted");
  return reason !== announced.reason && reason !== "manual";
}
