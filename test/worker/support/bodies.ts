// Checks that every webhook body sent to a test's receiver is a documented event without internal ids.
import { problemOfBody } from "../../support/events/event-bodies.ts";
import { internalIdsIn } from "../../support/internal-ids.ts";
import { BODY_PROBLEMS } from "./body-problems.ts";

export function checkBody(body: string): void {
  const problem = problemOfBody(body);
  BODY_PROBLEMS.push(...internalIdsIn(body), ...(problem === null ? [] : [problem]));
}
