type Subscription = { status: "active" | "trialing" | "past_due" | "canceled"; current_period_end: string | null };

/** `running`: the plan has no end date. `ending`: `days` is 0 on the last day. `stopped`: API calls already return 402. */
export type PlanState =
  | { kind: "none" }
  | { kind: "running" }
  | { kind: "ending"; days: number; soon: boolean }
  | { kind: "past_due" }
  | { kind: "stopped" };

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

export function planState(subscription: Subscription | null, now: number): PlanState {
  if (subscription === null) return { kind: "none" };
  if (subscription.status === "past_due") return { kind: "past_due" };
  if (subscription.status === "canceled") return { kind: "stopped" };
  if (subscription.current_period_end === null) return { kind: "running" };
  const days = Math.max(0, Math.floor((Date.parse(subscription.current_period_end) - now) / DAY_MS));
  return { kind: "ending", days, soon: days <= SOON_DAYS };
}
