import { type AdmissionLimits, EXACT_LIMITS } from "@gateway/domain/limits.ts";

/** Rules that only the sandbox may relax. */
export type Deployment = {
  limits: AdmissionLimits;
  loopbackReceivers: boolean;
  /** Allows the simulated Graph host at `http://127.0.0.1:…` for the Cloud API. */
  localGraph: boolean;
  proxyCheckMs: number;
  /** Maximum time for a container to start (half a minute by default). */
  containerAnswerMs?: number;
};

export const PRODUCTION: Deployment = { limits: EXACT_LIMITS, loopbackReceivers: false, localGraph: false, proxyCheckMs: 60_000 };

/** Returns null if a production setting points to a sandbox's simulated Graph, because tokens would be sent there in plaintext. */
export function graphUrl(setting: string, { localGraph }: Deployment): string | null {
  return localGraph || setting.startsWith("https://") ? setting : null;
}
