// What the overview of a connection concludes from facts: the steps that are left, the worst of an hour, what to say of a number's health.
import { helpFor } from "@gateway/domain/instance/attention.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export const FIRST_STEPS = ["connected", "key", "message", "webhook"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** `keys` and `webhook` undefined: not shown to this reader. Times are ISO 8601. */
export type FirstFacts = {
  last_connected_at: string | null;
  sent: number;
  keys: readonly { last_used_at: string | null }[] | undefined;
  webhook: { last_success_at: string | null } | null | undefined;
};

/** The steps of a new connection with whether each is done; null when nothing is left to do. */
export function firstSteps({ last_connected_at, sent, keys, webhook }: FirstFacts): { step: FirstStep; done: boolean }[] | null {
  const steps: { step: FirstStep; done: boolean }[] = [{ step: "connected", done: last_connected_at !== null }];
  if (keys !== undefined) steps.push({ step: "key", done: keys.length > 0 });
  steps.push({ step: "message", done: sent > 0 || keys?.some(({ last_used_at }) => last_used_at !== null) === true });
  if (webhook !== undefined) steps.push({ step: "webhook", done: webhook !== null && webhook.last_success_at !== null });
  return steps.every(({ done }) => done) ? null : steps;
}

/** What the buttons of a connection are for. */
export type Way = "pair" | "connect" | "online";

/** What brings a connection further; null: its object does not answer. */
export function wayOf(status: InstanceStatus | null, reason: string | null, mayPair = true): Way | null {
  if (status === null) return null;
  if (!mayPair) return status === "disconnected" || status === "failed" ? "connect" : "online";
  if (status === "scan_qr" || reason === "created" || reason === "banned" || helpFor(reason) === "pair") return "pair";
  return status === "disconnected" || status === "failed" ? "connect" : "online";
}
