// What the object answered, as Surface B says it.
import type { AppContext } from "../http/app-env.ts";
import { settingsOf } from "../env.ts";
import type { Answer } from "../protocol/connection.ts";
import { OPERATIONS } from "../protocol/operations.ts";
import { portugueseFailure } from "./failure.ts";
import type { Route } from "./route.ts";

export function renderAnswer(c: AppContext, route: Route | null, answer: Answer): Response {
  tellLimits(c, answer);
  if (!answer.ok) return portugueseFailure(c, answer.failure);
  if (route === null) throw new Error("the object carried out a call without an operation");
  if (answer.age !== undefined) {
    c.header("Age", String(answer.age));
    c.var.facts.ageSeconds = answer.age;
  }
  if (route.noStore) c.header("Cache-Control", "no-store");
  const output: unknown = OPERATIONS[route.operation].output.parse(JSON.parse(answer.json));
  return c.json(route.render(output, { appUrl: settingsOf(c.env).APP_URL }) as object);
}

function tellLimits(c: AppContext, answer: Answer): void {
  if (answer.replayed === true) {
    c.header("idempotent-replayed", "true");
    c.var.facts.replayed = true;
  }
  if (answer.mismatch === true) c.header("idempotency-mismatch", "true");
  if (answer.limit === undefined) return;
  const { limit, remaining, resetSeconds } = answer.limit;
  c.header("RateLimit-Policy", `"burst";q=${limit};w=10`);
  c.header("RateLimit", `"burst";r=${remaining};t=${resetSeconds}`);
}
