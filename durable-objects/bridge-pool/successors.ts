// Chooses where a draining bridge's sessions move. In a rollout the others drain next, and each session should move only once.
import type { Bridge } from "./bridges.ts";

/** A container that replaces a leaving bridge connects within this time; otherwise its sessions go to any bridge. */
export const SUCCESSOR_WAIT_MS = 120_000;

type Described = Pick<Bridge, "build" | "startedAt" | "leavingAt">;

/** Returns true if `other` is a later process of another build, so that the rollout that stops `from` does not stop it. */
export function isSuccessor(from: Described, other: Described): boolean {
  return other.build !== from.build && (other.startedAt ?? 0) > (from.startedAt ?? 0);
}

/** True if the sessions of `from` stay until a successor connects. The deployment starts the successor automatically. */
export function waitsForSuccessor(from: Described, others: readonly Described[], now: number): boolean {
  const { leavingAt } = from;
  if (leavingAt === null || now - leavingAt >= SUCCESSOR_WAIT_MS) return false;
  // If a process started since then runs the same build, no other build exists.
  return !others.some(({ build, startedAt }) => build === from.build && (startedAt ?? 0) > leavingAt);
}
