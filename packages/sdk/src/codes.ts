// The error class of each failed response. The status determines the class, unless the code is more specific.
import type { ErrorClass } from "./error-class.ts";
import * as errors from "./errors.ts";
import { classesOfCodes } from "./generated/error-classes.ts";

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: errors.AuthenticationError,
  402: errors.SubscriptionError,
  403: errors.PermissionError,
  404: errors.NotFoundError,
  409: errors.ConflictError,
  410: errors.NotFoundError,
  413: errors.MediaError,
  423: errors.TemporarilyBlockedError,
  424: errors.OutcomeUnknownError,
  429: errors.RateLimitError,
  501: errors.NotSupportedError,
};

export function classOfStatus(status: number): ErrorClass {
  return BY_STATUS[status] ?? (status >= 500 ? errors.ServerError : errors.InvalidRequestError);
}

export function classOf(code: string | null, status: number): ErrorClass {
  return classesOfCodes.find(([, codes]) => codes.split(" ").includes(code ?? ""))?.[0] ?? classOfStatus(status);
}
