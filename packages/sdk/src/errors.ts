// Failures, grouped by how a program should handle them. `code` is the API's error code.
import type { AccountErrorCode } from "./generated/account.ts";
import type { ConnectionErrorCode } from "./generated/connection.ts";

export type ErrorCode = ConnectionErrorCode | AccountErrorCode;

export type ErrorFacts = {
  status: number;
  /**
   * `null` means that the response did not come from the gateway but, for example, from a proxy. A gateway newer than this package may
   * return a code that is not listed.
   */
  code: ErrorCode | null;
  message: string;
  requestId: string | null;
  details: unknown;
  retryAfter: number | null;
  idempotencyKey: string | null;
  messageId: string | null;
};

export class GatewayError extends Error {
  override name = this.constructor.name;
}

/** There was no response, because the network failed or the request timed out. */
export class ConnectionError extends GatewayError {
  readonly idempotencyKey: string | null;
  constructor(message: string, idempotencyKey: string | null, cause: unknown) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Another program opened this listener, for example with the same checkpoint file. It receives the events from now on. */
export class ListenerTakenError extends GatewayError {}

export class ApiError extends GatewayError {
  declare readonly status: number;
  declare readonly code: ErrorCode | null;
  declare readonly requestId: string | null;
  declare readonly details: unknown;
  declare readonly retryAfter: number | null;
  declare readonly idempotencyKey: string | null;
  declare readonly messageId: string | null;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    Object.assign(this, facts);
  }
}

/** The key is unknown or revoked. */
export class AuthenticationError extends ApiError {}
/** The key, the account or the number lacks permission. */
export class PermissionError extends ApiError {}
/** The account has no active subscription. */
export class SubscriptionError extends ApiError {}
/** The request is invalid. Repeating it unchanged fails again. */
export class InvalidRequestError extends ApiError {}
/** The resource does not exist, or no longer exists. */
export class NotFoundError extends ApiError {}
/** The current state does not allow this call. */
export class ConflictError extends ApiError {}
export class NotConnectedError extends ApiError {}
/** The recipient cannot be reached: no account, outside the service window, or a first contact that WhatsApp refuses. */
export class RecipientError extends ApiError {}
/** The file is too large, unreachable or of an unsupported type. */
export class MediaError extends ApiError {}
/** A gateway limit was exceeded. `retryAfter` is the time to wait. */
export class RateLimitError extends ApiError {}
/** WhatsApp itself limits this number. Slow down, and do not retry at once. */
export class NetworkRateLimitError extends ApiError {}
/** WhatsApp does not support this for this kind of number. */
export class NotSupportedError extends ApiError {}
/** The gateway or WhatsApp failed. */
export class ServerError extends ApiError {}

/** WhatsApp temporarily blocks sends from this number. Stop sending, because more attempts raise the risk of a ban. */
export class TemporarilyBlockedError extends ApiError {
  /** When the block ends, or `null` if WhatsApp does not report it. */
  get endsAt(): Date | null {
    const ends = (this.details as { ends_at?: number | string | null } | null)?.ends_at;
    return ends ? new Date(typeof ends === "number" ? ends * 1000 : ends) : null;
  }
}

export type Outcome = "sent" | "failed" | "unknown";

/** The message may have been sent. Call `resolve` to find out before you send it again. */
export class OutcomeUnknownError extends ApiError {
  readonly #resolve: (timeoutMs: number) => Promise<Outcome>;
  constructor(facts: ErrorFacts, resolve: (timeoutMs: number) => Promise<Outcome>) {
    super(facts);
    this.#resolve = resolve;
  }

  /**
   * Polls the message until it is sent or fails. Resolves to `unknown` after `timeoutMs` (60 s by default), and always for a reaction, an
   * edit or a deletion, because they are not messages.
   */
  resolve({ timeoutMs = 60_000 }: { timeoutMs?: number } = {}): Promise<Outcome> {
    return this.#resolve(timeoutMs);
  }
}
