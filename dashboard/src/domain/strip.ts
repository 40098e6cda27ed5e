import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export type HourState = "connected" | "connecting" | "dropped" | "failed" | "off" | "none";

export type StripHour = { from: string; messages: number; state: HourState };

type Tick = { at: string; messages: number; status: InstanceStatus | null };

/**
 * The first hour without a session is shown as a drop, later hours as "off". `now` is the status at this moment: a session that has just
 * ended shows in the running hour, of which it was only a small part.
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
