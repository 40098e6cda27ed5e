// Checks every JSON response of the dashboard's API strictly against the contract; a violation fails the test.
import * as z from "zod";
import { CONTRACT } from "#root/src/api/dashboard/contract/contract.ts";
import { Refusal, type ContractRow } from "#root/src/api/dashboard/contract/common.ts";
import { ANSWER_PROBLEMS } from "../../support/contract/seen-answers.ts";

const PREFIX = "/api/dashboard";

const ROWS = Object.entries(CONTRACT as Record<string, ContractRow>)
  .map(([name, row]) => {
    const [method = "", path = ""] = name.split(" ");
    return { name, method, parameters: path.split("{").length, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`), row };
  })
  .toSorted((a, b) => a.parameters - b.parameters);

export async function checkDashboardAnswer(request: Request, answer: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${PREFIX}/`) || answer.headers.get("content-type")?.startsWith("application/json") !== true) return;
  const found = ROWS.find(({ method, pattern }) => method === request.method && pattern.test(pathname.slice(PREFIX.length)));
  const schema = answer.ok ? found?.row.response : Refusal;
  if (!(schema instanceof z.ZodType)) return;
  const parsed = schema.safeParse(await answer.clone().json());
  if (!parsed.success)
    ANSWER_PROBLEMS.push(`${found?.name ?? pathname} ${answer.status} is not as in the contract: ${z.prettifyError(parsed.error)}`);
}
