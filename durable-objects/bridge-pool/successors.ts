// Chooses a draining bridge's successor. In a rollout, the other bridges drain next, and each session should move only once.
import type { Bridge } from "./bridges.ts";

/** How long to wait for the container that replaces a stopping bridge. After that, its sessions go to any bridge. */
export const SUCCESSOR_WAIT_MS = 120_000;

type Described = Pick<Bridge, "build" | "startedAt" | "leavingAt">;

/** Returns true if `other` runs another build and started later. The rollout that stops `from` will then not stop `other` too. */
export function isSuccessor(from: Described, other: Described): boolean {
  return other.build !== from.build && (other.startedAt ?? 0) > (from.startedAt ?? 0);
}

/** True if the sessions of `from` stay until a successor connects. The deployment starts the successor automatically. */
export function waitsForSuccessor(from: Described, others: readonly Described[], now: number): boolean {
  const { leavingAt } = from;
  if (leavingAt === null || now - leavingAt >= SUCCESSOR_WAIT_MS) return false;
  // If a process with the same build has started since then, no other build is being rolled out.
  return !others.some(({ build, startedAt }) => build === from.build && (startedAt ?? 0) > leavingAt);
}
