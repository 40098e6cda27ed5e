import type { SubscriptionTerms } from "../services/subscriptions/set.ts";

/** The subscription every sandbox user has unless it was ended. */
export const SANDBOX_TERMS: SubscriptionTerms = { plan: "sandbox", status: "active", maxInstances: 10_000, currentPeriodEnd: null };
