import { useSyncExternalStore } from "react";
import { serverNow } from "../api/server-time.ts";

/** Returns the gateway's time in Unix ms, rounded down to `stepMs`. Re-renders the component at each step. */
export function useNow(stepMs = 10_000): number {
  return useSyncExternalStore(
    (changed) => {
      const timer = setInterval(changed, Math.min(stepMs, 1_000));
      return () => clearInterval(timer);
    },
    () => Math.floor(serverNow() / stepMs) * stepMs,
  );
}

/** Whole seconds until `until` (Unix ms), at least 0. */
export function useSecondsLeft(until: number): number {
  return Math.max(0, Math.ceil((until - useNow(250)) / 1_000));
}
