// Checks the tested app's responses against its own API documents.
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES as ACCOUNT_FAMILIES } from "#root/src/api/account/routes.ts";
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";
import { AnswerContract } from "../../support/contract/answers.ts";
import { checkAnswer, isDocumentable } from "../../support/contract/seen-answers.ts";

let contracts: readonly AnswerContract[] | null = null;

export async function checkDocumented({ method, url }: Request, answer: Response): Promise<void> {
  const path = new URL(url).pathname;
  if (!isDocumentable(path, answer.headers)) return;
  if (method === "HEAD") return;
  contracts ??= [
    new AnswerContract(connectionDocument("https://app.example.com")),
    new AnswerContract(accountDocument("https://api.example.com", ACCOUNT_FAMILIES)),
  ];
  const body: unknown = await answer.clone().json();
  checkAnswer(contracts, { method, path, status: answer.status, headers: answer.headers, body });
}
