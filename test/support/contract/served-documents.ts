// The OpenAPI documents as a running gateway serves them.
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import { AnswerContract, type SeenAnswer } from "./answers.ts";
import { checkAnswer, isDocumentable } from "./seen-answers.ts";

const NAMES = ["connection", "account"];

const contracts = new Map<string, Promise<AnswerContract[]>>();

/** Checks a response from the gateway at `url`. */
export async function checkServed(url: string, answer: Omit<SeenAnswer, "path">): Promise<void> {
  const { origin, pathname } = new URL(url);
  if (!isDocumentable(pathname, answer.headers)) return;
  let known = contracts.get(origin);
  if (known === undefined) {
    known = contractsOf(origin);
    contracts.set(origin, known);
    // The gateway may have been killed during the request, so the next response asks again.
    known.catch(() => contracts.delete(origin));
  }
  checkAnswer(await known, { ...answer, path: pathname });
}

async function contractsOf(origin: string): Promise<AnswerContract[]> {
  const documents = await Promise.all(NAMES.map(async (name) => (await fetch(`${origin}/docs/${name}.json`)).json()));
  return documents.map((document) => new AnswerContract(document as OpenApiDocument));
}
