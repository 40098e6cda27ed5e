import { type AdmissionLimits, EXACT_LIMITS } from "../../src/domain/limits.ts";

/** Rules that only the sandbox may relax. */
export type Deployment = {
  limits: AdmissionLimits;
  /** Webhooks may go to `http://127.0.0.1:…`. */
  loopbackReceivers: boolean;
};

export const PRODUCTION: Deployment = { limits: EXACT_LIMITS, loopbackReceivers: false };
