// The error class of each failed response: by its code, if the code says more than its status does, or else by its status.
import * as errors from "./errors.ts";
import { errorKinds } from "./generated/error-kinds.ts";

type ErrorClass = new (facts: errors.ErrorFacts) => errors.ApiError;

const CLASSES: Record<Exclude<errors.Kind, "unknown_outcome">, ErrorClass> = {
  auth: errors.AuthenticationError,
  permission: errors.PermissionError,
  subscription: errors.SubscriptionError,
  invalid: errors.InvalidRequestError,
  missing: errors.NotFoundError,
  conflict: errors.ConflictError,
  offline: errors.NotConnectedError,
  recipient: errors.RecipientError,
  media: errors.MediaError,
  limit: errors.RateLimitError,
  network_limit: errors.NetworkRateLimitError,
  unsupported: errors.NotSupportedError,
  server: errors.ServerError,
  blocked: errors.TemporarilyBlockedError,
};

const STATUS_KINDS: Readonly<Record<number, errors.Kind>> = {
  401: "auth",
  402: "subscription",
  403: "permission",
  404: "missing",
  409: "conflict",
  410: "missing",
  413: "media",
  423: "blocked",
  424: "unknown_outcome",
  429: "limit",
  501: "unsupported",
};

export function kindOfStatus(status: number): errors.Kind {
  return STATUS_KINDS[status] ?? (status >= 500 ? "server" : "invalid");
}

export function kindOf(code: string | null, status: number): errors.Kind {
  return errorKinds[code ?? ""] ?? kindOfStatus(status);
}

/** `resolve` looks up the outcome of a send that may have happened. */
export function apiError(facts: errors.ErrorFacts, resolve: (timeoutMs: number) => Promise<errors.Outcome>): errors.ApiError {
  const kind = kindOf(facts.code, facts.status);
  return kind === "unknown_outcome" ? new errors.OutcomeUnknownError(facts, resolve) : new CLASSES[kind](facts);
}
