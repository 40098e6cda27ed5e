// What a subscription means today.

type Subscription = { status: "active" | "trialing" | "past_due" | "canceled"; current_period_end: string | null };

/** `running`: without an end. `ending`: `days` until its period ends, 0 on the last day. `stopped`: keys are answered 402 already. */
export type PlanState =
  | { kind: "none" }
  | { kind: "running" }
  | { kind: "ending"; days: number; soon: boolean }
  | { kind: "past_due" }
  | { kind: "stopped" };

const DAY_MS = 86_400_000;
/** From then on it is pointed out. */
const SOON_DAYS = 7;

/** `now` in Unix ms. */
export function planState(subscription: Subscription | null, now: number): PlanState {
  if (subscription === null) return { kind: "none" };
  if (subscription.status === "past_due") return { kind: "past_due" };
  if (subscription.status === "canceled") return { kind: "stopped" };
  if (subscription.current_period_end === null) return { kind: "running" };
  const days = Math.max(0, Math.floor((Date.parse(subscription.current_period_end) - now) / DAY_MS));
  return { kind: "ending", days, soon: days <= SOON_DAYS };
}
