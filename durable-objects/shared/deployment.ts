import { type AdmissionLimits, EXACT_LIMITS } from "../../src/domain/limits.ts";

/** What the sandbox may loosen, and production never does. */
export type Deployment = {
  limits: AdmissionLimits;
  /** Webhooks may go to `http://127.0.0.1:…`. */
  loopbackReceivers: boolean;
};

export const PRODUCTION: Deployment = { limits: EXACT_LIMITS, loopbackReceivers: false };
