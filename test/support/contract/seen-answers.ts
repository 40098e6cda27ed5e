// Checks every response that a test gets from either API against its document; a violation fails the test.
import type { AnswerContract, SeenAnswer } from "./answers.ts";

/** Problems found since the list was last cleared. */
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
