import type { SubscriptionTerms } from "../services/subscriptions/set.ts";

/** The subscription everybody has in the sandbox, unless it was ended. */
export const SANDBOX_TERMS: SubscriptionTerms = { plan: "sandbox", status: "active", maxInstances: 10_000, currentPeriodEnd: null };
