// Reading the dashboard's requests.
import { z } from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { AppContext } from "../../http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "../../http/body/incoming-body.ts";
import { readJson } from "../../http/body/read.ts";
import { ENGLISH_FIELDS, PORTUGUESE_FIELDS } from "../../http/field-errors.ts";
import { portugueseIssue } from "../../http/problems.ts";
import { type ErrorMessages, validationFailure } from "../../http/read-request.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { CONTRACT, type Route } from "./contract/contract.ts";
import type { ContractRow } from "./contract/row.ts";
import type { Access } from "./route.ts";

/** Files are uploads of their own; whoever signs in has shown no credential yet. */
const STRANGERS_BYTES = 64 * 1024;

export async function readFields<S extends z.ZodType>(
  c: AppContext,
  schema: S,
  limitBytes = STRANGERS_BYTES,
): Promise<Outcome<z.output<S>>> {
  const wording = wordingFor(c);
  const rules = { limitBytes, files: 0, discard: DISCARD_OF_STRANGERS, halfCharacter: wording.halfCharacter };
  const json = await readJson(new IncomingBody(c.req.raw), rules);
  if (!json.ok) return json;
  const fields = schema.safeParse(json.value, wording);
  return fields.success ? { ok: true, value: fields.data } : fail(validationFailure(fields.error.issues));
}

/** Query and body of a request, parsed by its row of the contract; `{}` where the row has none. */
export async function readParts(c: AppContext, name: Route, access: Access): Promise<Outcome<{ query: unknown; body: unknown }>> {
  const row: ContractRow = CONTRACT[name];
  const query = row.query?.safeParse(c.req.query(), wordingFor(c));
  if (query?.success === false) return fail(validationFailure(query.error.issues));
  const limitBytes = access === "public" ? STRANGERS_BYTES : LIMITS.jsonBytes;
  const body =
    name.startsWith("GET ") || row.body === "file"
      ? ({ ok: true, value: {} } as const)
      : await readFields(c, row.body ?? z.unknown(), limitBytes);
  return body.ok ? { ok: true, value: { query: query?.data ?? {}, body: body.value } } : body;
}

/** What is wrong with a field is shown beside it, to a person: in the language that the page is in. */
function wordingFor(c: AppContext): ErrorMessages {
  return isPortuguese(c) ? PORTUGUESE_FIELDS : ENGLISH_FIELDS;
}

/** The same of what services and objects found wrong. */
export function inReadersLanguage(c: AppContext, failure: Failure): Failure {
  if (failure.issues === undefined || !isPortuguese(c)) return failure;
  return { ...failure, issues: failure.issues.map(({ field, issue }) => ({ field, issue: portugueseIssue(issue) ?? issue })) };
}

function isPortuguese(c: AppContext): boolean {
  return c.req.header("accept-language")?.toLowerCase().startsWith("pt") === true;
}
