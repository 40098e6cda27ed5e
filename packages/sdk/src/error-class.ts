// A separate file, because both the generated list of codes and the code that reads it need this type.
import type { ApiError, ErrorFacts, OutcomeUnknownError } from "./errors.ts";

export type ErrorClass = (new (facts: ErrorFacts) => ApiError) | typeof OutcomeUnknownError;
