// A file of its own, because the generated list of codes and its reader both need the type.
import type { ApiError, ErrorFacts, OutcomeUnknownError } from "./errors.ts";

export type ErrorClass = (new (facts: ErrorFacts) => ApiError) | typeof OutcomeUnknownError;
