import type { FailureCode } from "@gateway/protocol/failures.ts";

export type Issue = { field: string; issue: string };
export type Details = readonly Issue[] | Readonly<Record<string, string | number | boolean | null>>;

/** "offline": the gateway did not respond. "unreadable": the response did not come from this API. */
export type RefusalCode = FailureCode | "offline" | "unreadable";

/** The data of a `Refused`, which can also be stored. */
export type Refusal = {
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: Details | null;
  readonly requestId: string | null;
  /** Seconds until a retry may succeed, or null if unknown. */
  readonly retryAfter: number | null;
};
