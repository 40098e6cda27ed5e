// Failures that several routes of the Account API share.
import type { FailureCode } from "../protocol/failures.ts";

/** Of every operation that needs the network. */
export const NETWORK_FAILURES = [
  "instance_not_connected",
  "network_rate_limited",
  "network_error",
  "instance_reconnecting",
  "network_timeout",
] as const satisfies readonly FailureCode[];
