// Every webhook body that any test's receiver is sent has to be a documented event, free of internal ids.
import { problemOfBody } from "../../support/events/event-bodies.ts";
import { internalIdsIn } from "../../support/internal-ids.ts";
import { BODY_PROBLEMS } from "./body-problems.ts";

export function checkBody(body: string): void {
  const problem = problemOfBody(body);
  BODY_PROBLEMS.push(...internalIdsIn(body), ...(problem === null ? [] : [problem]));
}
