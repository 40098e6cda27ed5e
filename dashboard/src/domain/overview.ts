import { helpFor } from "@gateway/domain/instance/attention.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

export const FIRST_STEPS = ["connected", "key", "message", "webhook"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** `keys` and `webhook` are undefined if the user may not see them. Times are ISO 8601. */
export type FirstFacts = {
  last_connected_at: string | null;
  sent: number;
  keys: readonly { last_used_at: string | null }[] | undefined;
  webhook: { last_success_at: string | null } | null | undefined;
};

/** The user's goal: to chat in the dashboard, or to connect a system through the API. */
export type Goal = "chat" | "system";

/** Returns null if all steps are done. While the user has not chosen a goal (`goal` is null), includes the steps of both goals. */
export function firstSteps(
  { last_connected_at, sent, keys, webhook }: FirstFacts,
  goal: Goal | null = null,
): { step: FirstStep; done: boolean }[] | null {
  const forSystem = goal !== "chat";
  const steps: { step: FirstStep; done: boolean }[] = [{ step: "connected", done: last_connected_at !== null }];
  if (keys !== undefined && forSystem) steps.push({ step: "key", done: keys.length > 0 });
  steps.push({ step: "message", done: sent > 0 || keys?.some(({ last_used_at }) => last_used_at !== null) === true });
  if (webhook !== undefined && forSystem) steps.push({ step: "webhook", done: webhook !== null && webhook.last_success_at !== null });
  return steps.every(({ done }) => done) ? null : steps;
}

export type Buttons = "pair" | "connect" | "online";

export function buttonsFor(status: InstanceStatus | null, reason: string | null, mayPair = true): Buttons | null {
  if (status === null) return null;
  if (!mayPair) return status === "disconnected" || status === "failed" ? "connect" : "online";
  if (status === "scan_qr" || reason === "created" || reason === "banned" || helpFor(reason) === "pair") return "pair";
  return status === "disconnected" || status === "failed" ? "connect" : "online";
}
