import { FAILURE_ANSWERS } from "@gateway/domain/failures/answers.ts";
import type { Answer } from "@gateway/protocol/connection.ts";
import type { AppContext } from "./app-env.ts";

export function setAnswerHeaders(c: AppContext, answer: Answer): void {
  noteRefusal(c, answer);
  if (answer.replayed === true) {
    c.header("idempotent-replayed", "true");
    c.get("facts").replayed = true;
  }
  if (answer.mismatch === true) c.header("idempotency-mismatch", "true");
  if (answer.ok && answer.age !== undefined) {
    c.header("Age", String(answer.age));
    c.get("facts").ageSeconds = answer.age;
  }
  if (answer.limit === undefined) return;
  const { limit, remaining, resetSeconds } = answer.limit;
  c.header("RateLimit-Policy", `"burst";q=${limit};w=10`);
  c.header("RateLimit", `"burst";r=${remaining};t=${resetSeconds}`);
}

/** Notes a refusal that the object has already logged. */
export function noteRefusal(c: AppContext, answer: Answer): void {
  if (!answer.ok && c.get("loggedStatus") !== undefined) c.set("loggedStatus", FAILURE_ANSWERS[answer.failure.code].status);
}
