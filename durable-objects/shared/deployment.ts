import { type AdmissionLimits, EXACT_LIMITS } from "@gateway/domain/limits.ts";

/** Rules that only the sandbox may relax. */
export type Deployment = {
  limits: AdmissionLimits;
  /** Webhooks may go to `http://127.0.0.1:…`. */
  loopbackReceivers: boolean;
  /** Graph, the Cloud API's host, may be `http://127.0.0.1:…`: the simulated one. */
  localGraph: boolean;
  /** How often each proxy is checked. */
  proxyCheckMs: number;
};

export const PRODUCTION: Deployment = { limits: EXACT_LIMITS, loopbackReceivers: false, localGraph: false, proxyCheckMs: 60_000 };

/** Where Graph is. Null: the setting names the simulated one of a sandbox, which in production would get tokens in clear. */
export function graphUrl(setting: string, { localGraph }: Deployment): string | null {
  return localGraph || setting.startsWith("https://") ? setting : null;
}
