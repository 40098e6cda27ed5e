// The complete list of failure codes. Each API has a table from code to status and text (docs/use/apis.md, "Errors").
import * as z from "zod";

export const FAILURE_CODES = [
  "invalid_json",
  "body_incomplete",
  "validation_error",
  "invalid_number",
  "invalid_idempotency_key",
  "cloud_credentials_invalid",
  "unauthorized",
  "subscription_required",
  "forbidden",
  "scope_missing",
  "not_group_admin",
  "https_required",
  "account_suspended",
  "business_account_required",
  "bearer_required",
  "new_chat_refused",
  "route_not_found",
  "method_not_allowed",
  "instance_not_found",
  "chat_not_found",
  "message_not_found",
  "quoted_message_not_found",
  "source_message_not_found",
  "group_not_found",
  "contact_not_found",
  "label_not_found",
  "listener_not_found",
  "channel_not_found",
  "call_not_found",
  "webhook_not_found",
  "delivery_not_found",
  "key_not_found",
  "request_not_found",
  "pairing_link_not_found",
  "user_not_found",
  "proxy_not_found",
  "picture_not_found",
  "business_profile_not_found",
  "bridge_not_found",
  "instance_not_connected",
  "qr_not_available",
  "passkey_not_wanted",
  "passkey_refused",
  "message_under_way",
  "already_connected",
  "call_ended",
  "content_differs",
  "label_limit",
  "pin_limit",
  "key_limit",
  "pairing_link_limit",
  "instance_limit",
  "webhook_limit",
  "listener_limit",
  "subscription_limit",
  "email_taken",
  "own_account",
  "last_administrator",
  "proxy_full",
  "proxy_in_use",
  "test_first",
  "webhook_inactive",
  "profile_name_unknown",
  "without_session",
  "already_on_bridge",
  "bridge_draining",
  "bridge_full",
  "bridge_elsewhere",
  "media_expired",
  "upload_limit",
  "waiting_files_limit",
  "body_too_large",
  "media_too_large",
  "unsupported_media_type",
  "number_not_on_network",
  "media_unreachable",
  "media_invalid",
  "limit_of_kind",
  "outside_service_window",
  "template_invalid",
  "edit_window_closed",
  "delete_window_closed",
  "url_not_allowed",
  "invite_invalid",
  "temporarily_blocked",
  "expired",
  "send_outcome_unknown",
  "waiting_limit",
  "rate_limited",
  "repeated_read",
  "too_many_attempts",
  "network_rate_limited",
  "internal_error",
  "not_supported",
  "converter_missing",
  "network_error",
  "instance_reconnecting",
  "unavailable",
  "network_timeout",
] as const;

export const FailureCode = z.enum(FAILURE_CODES);
export type FailureCode = z.infer<typeof FailureCode>;

/** Shown as `details` or `detalhes`. It must not contain secrets or message text. */
export const FailureDetails = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** `issue` is in English. `portuguese` is absent if the text is already in the caller's language. */
const FieldIssue = z.object({ field: z.string(), issue: z.string(), portuguese: z.string().optional() });
export type FieldIssue = z.infer<typeof FieldIssue>;

export const Failure = z.object({
  code: FailureCode,
  retryAfter: z.number().int().positive().optional(),
  details: FailureDetails.optional(),
  /** The network received the request and refused it. If absent, nothing was attempted (docs/internals/admission.md, "Idempotency"). */
  attempted: z.literal(true).optional(),
  issues: z.array(FieldIssue).optional(),
});
export type Failure = z.infer<typeof Failure>;

export type Outcome<T> = Succeeded<T> | Failed;
/** `replayed` means that this is the outcome of an earlier call with the same idempotency key, and that this call changed nothing. */
export type Replayable<T> = Outcome<T> & { replayed?: true };
export type Succeeded<T> = { ok: true; value: T };
export type Failed = { ok: false; failure: Failure };

export function succeed<T>(value: T): Succeeded<T> {
  return { ok: true, value };
}

/** Examples: `fail("chat_not_found")`, `fail("rate_limited", { retryAfter: 9 })`, or `fail(failure)` to pass on a failure. */
export function fail(failure: FailureCode | Failure, facts: Omit<Failure, "code"> = {}): Failed {
  return { ok: false, failure: typeof failure === "string" ? { code: failure, ...facts } : failure };
}
