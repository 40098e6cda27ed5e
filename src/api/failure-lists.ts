// Failures that many routes have in common; those of every route stand in `docs/document.ts`.
import type { FailureCode } from "@gateway/protocol/failures.ts";

type Failures = readonly FailureCode[];

/** Of whatever asks the network. */
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

/** Of whatever asks the network about a person. */
export const PERSON_FAILURES: Failures = [...NETWORK_FAILURES, "number_not_on_network"];

/** Of whatever sends a message. It never answers 504: an unknown outcome is 424. */
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

/** Of whatever takes a file. */
export const FILE_FAILURES: Failures = ["media_too_large", "media_unreachable", "media_invalid"];

/** Of whatever takes sound or video that may have to be converted. */
export const CONVERTED_FILE_FAILURES: Failures = [...FILE_FAILURES, "converter_missing"];
