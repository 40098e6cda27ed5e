// The AccountGuard object's public method, as the worker calls it.
import type { Outcome } from "./failures.ts";

/** What the account's caller asked for: JSON of the result. The worker carries it out, once the object has admitted the call. */
export type ActForAccount = () => Promise<Outcome<string>>;
