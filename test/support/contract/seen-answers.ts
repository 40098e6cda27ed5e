// Every answer that a test gets from either API is held against its document; what is not as described fails the test.
import type { AnswerContract, SeenAnswer } from "./answers.ts";

/** Found since it was last emptied. */
export const ANSWER_PROBLEMS: string[] = [];

export function isDocumentable(path: string, headers: Headers): boolean {
  return path.startsWith("/api/") && headers.get("content-type")?.startsWith("application/json") === true;
}

export function checkAnswer(contracts: readonly AnswerContract[], answer: SeenAnswer): void {
  for (const contract of contracts) {
    const problem = contract.problemOf(answer);
    if (problem !== null) ANSWER_PROBLEMS.push(problem);
  }
}
