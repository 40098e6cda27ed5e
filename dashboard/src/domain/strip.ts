import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export type HourState = "connected" | "connecting" | "dropped" | "failed" | "off" | "none";

export type StripHour = { from: string; messages: number; state: HourState };

type Tick = { at: string; messages: number; status: InstanceStatus | null };

/** The first hour without a session is shown as a drop, later hours as "off". */
export function stripHours(ticks: readonly Tick[]): StripHour[] {
  return ticks.map(({ at, messages, status }, index) => {
    const before = ticks[index - 1]?.status ?? null;
    return { from: at, messages, state: stateOf(status, before) };
  });
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
