// Failures that many routes share. The failures of every route are in `src/api/docs`.
import type { FailureCode } from "@gateway/protocol/failures.ts";

type Failures = readonly FailureCode[];

export const NETWORK_FAILURES: Failures = [
  "instance_not_connected",
  "forbidden",
  "temporarily_blocked",
  "network_rate_limited",
  "not_supported",
  "network_error",
  "instance_reconnecting",
  "network_timeout",
];

export const PERSON_FAILURES: Failures = [...NETWORK_FAILURES, "number_not_on_network"];

/** Sends never return 504, because the status for an unknown outcome is 424. */
export const SEND_FAILURES: Failures = [
  "instance_not_connected",
  "forbidden",
  "new_chat_refused",
  "number_not_on_network",
  "outside_service_window",
  "temporarily_blocked",
  "send_outcome_unknown",
  "network_rate_limited",
  "not_supported",
  "network_error",
  "instance_reconnecting",
];

export const FILE_FAILURES: Failures = ["media_too_large", "media_unreachable", "media_invalid"];

export const CONVERTED_FILE_FAILURES: Failures = [...FILE_FAILURES, "converter_missing"];
