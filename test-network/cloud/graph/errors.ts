import { traceId } from "../ids.ts";

export type GraphReply = {
  status: number;
  json?: unknown;
  bytes?: Uint8Array;
  type?: string;
  headers?: Record<string, string>;
};

const TITLES: Readonly<Record<number, string>> = {
  0: "AuthException",
  1: "API Unknown",
  2: "API Service",
  3: "API Method",
  4: "API Too Many Calls",
  10: "Permission Denied",
  33: "Parameter value is not valid",
  100: "Invalid parameter",
  190: "Access token has expired",
  200: "API Permission",
  368: "Temporarily blocked for policies violations",
  803: "Some of the aliases you requested do not exist",
  80007: "Rate limit issues",
  130429: "Rate limit hit",
  130472: "User's number is part of an experiment",
  130497: "Business account is restricted from messaging users in this country.",
  131000: "Something went wrong",
  131005: "Access denied",
  131008: "Required parameter is missing",
  131009: "Parameter value is not valid",
  131016: "Service unavailable",
  131021: "Recipient cannot be sender",
  131026: "Message undeliverable",
  131030: "Recipient phone number not in allowed list",
  131031: "Account has been locked",
  131042: "Business eligibility payment issue",
  131045: "Message failed to send because of a phone number registration error",
  131047: "Re-engagement message",
  131048: "Spam rate limit hit",
  131049: "Meta chose not to deliver",
  131050: "User has stopped marketing messages",
  131051: "Message type unknown",
  131052: "Media download error",
  131053: "Media upload error",
  131056: "(Business Account, Consumer Account) pair rate limit hit",
  131057: "Account in maintenance mode",
  131062: "Business-scoped user id recipients are not supported for this message",
  132000: "Template Param Count Mismatch",
  132001: "Template does not exist",
  132005: "Template Hydrated Text Too Long",
  132007: "Template Format Character Policy Violated",
  132012: "Template Parameter Format Mismatch",
  132015: "Template is Paused",
  132016: "Template is Disabled",
  133000: "Incomplete Deregistration",
  133004: "Server Temporarily Unavailable",
  133005: "Two step verification PIN Mismatch",
  133010: "Phone number not registered",
  133016: "Account register deregister rate limit exceeded",
  135000: "Generic user error",
  138000: "Calling not enabled",
};

const STATUSES: Readonly<Record<number, number>> = {
  0: 401,
  1: 500,
  2: 503,
  10: 403,
  190: 401,
  200: 403,
  368: 403,
  130429: 429,
  131000: 500,
  131005: 403,
  131016: 503,
  131031: 403,
  131056: 429,
  131057: 503,
  132001: 404,
  133004: 503,
};

export type ErrorMore = {
  subcode?: number | undefined;
  http?: number | undefined;
  message?: string | undefined;
  details?: string | undefined;
  headers?: Record<string, string> | undefined;
};

export function graphError(code: number, { subcode, http, message, details, headers }: ErrorMore = {}): GraphReply {
  return {
    status: http ?? STATUSES[code] ?? 400,
    json: {
      error: {
        message: message ?? `(#${code}) ${titleOf(code)}`,
        type: "OAuthException",
        code,
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(details !== undefined && { error_data: { messaging_product: "whatsapp", details } }),
        fbtrace_id: traceId(),
      },
    },
    ...(headers && { headers }),
  };
}

export function webhookError(code: number, details = titleOf(code)): Record<string, unknown> {
  return {
    code,
    title: titleOf(code),
    message: titleOf(code),
    error_data: { details },
    href: "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
  };
}

function titleOf(code: number): string {
  return TITLES[code] ?? "Generic error";
}

export function unknownObject(method: string, id: string): GraphReply {
  return graphError(100, {
    subcode: 33,
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  });
}
