// Every webhook body that any test's receiver is sent; after each test all of them must have been free of internal ids.
import { internalIdsIn } from "../../support/internal-ids.ts";

const leaks: string[] = [];

export function noteBody(body: string): void {
  leaks.push(...internalIdsIn(body));
}

/** What was found since the last time. */
export function takeLeaks(): string[] {
  return leaks.splice(0);
}
