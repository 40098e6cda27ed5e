import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export type HourState = "connected" | "connecting" | "dropped" | "failed" | "off" | "none";

export type StripHour = { from: string; messages: number; state: HourState };

type Tick = { at: string; messages: number; status: InstanceStatus | null };

/**
 * Shows the first hour without a session as a drop, and the hours after it as "off". `now` is the current status. If it shows that the
 * session has just ended, the current hour is shown as a drop, although the session lasted for most of it.
 */
export function stripHours(ticks: readonly Tick[], now: InstanceStatus | null): StripHour[] {
  return ticks.map(({ at, messages, status }, index) => {
    const before = ticks[index - 1]?.status ?? null;
    const wasUp = status === "connected" || status === "connecting";
    const hasJustEnded = index === ticks.length - 1 && wasUp && isDown(now);
    return { from: at, messages, state: hasJustEnded ? stateOf(now, status) : stateOf(status, before) };
  });
}

export function isDown(status: InstanceStatus | null): boolean {
  return status === "disconnected" || status === "failed";
}

function stateOf(status: InstanceStatus | null, before: InstanceStatus | null): HourState {
  switch (status) {
    case null:
      return "none";
    case "connected":
    case "failed":
      return status;
    case "connecting":
    case "scan_qr":
      return "connecting";
    case "disconnected":
      return before === null || before === "disconnected" || before === "failed" ? "off" : "dropped";
  }
}
