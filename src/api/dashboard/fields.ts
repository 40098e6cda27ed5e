import type { z } from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "#root/src/http/body/incoming-body.ts";
import { readJson } from "#root/src/http/body/read.ts";
import { ENGLISH_FIELDS, PORTUGUESE_FIELDS } from "#root/src/http/field-errors.ts";
import { type ErrorMessages, type ReadableRoute, type ReadRequest, validationFailure } from "#root/src/http/read-request.ts";
import { RequestFiles } from "#root/src/http/request-files.ts";
import { fingerprint } from "#root/src/http/fingerprint.ts";
import type { Params } from "../serve.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { DashboardContext } from "./route.ts";

/** Body limit on public routes, because their callers have no credential. Files are uploaded separately. */
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

export async function readParts({ c, caller }: DashboardContext, row: ReadableRoute, _body: unknown, params: Params): Promise<ReadRequest> {
  const query = row.query?.safeParse(c.req.query(), wordingFor(c));
  const body = await bodyOf(c, row, caller === null ? STRANGERS_BYTES : LIMITS.jsonBytes);
  const rejected = query?.success === false ? validationFailure(query.error.issues) : body.ok ? null : body.failure;
  const parsed = { query: query?.data ?? {}, body: body.ok ? body.value : {} };
  return {
    path: c.req.path,
    query: "",
    fingerprint: row.mutating ? fingerprint(c.req.method, c.req.path, "").update(JSON.stringify(parsed)).digest("hex") : "",
    rejected,
    parsed: { ...parsed, params, files: new RequestFiles(() => undefined) },
  };
}

async function bodyOf(c: AppContext, { mutating, body }: ReadableRoute, limitBytes: number): Promise<Outcome<unknown>> {
  return mutating && body !== null ? readFields(c, body, limitBytes) : succeed({});
}

/** Field errors appear beside the field, so they use the page's language. */
function wordingFor(c: AppContext): ErrorMessages {
  return isPortuguese(c) ? PORTUGUESE_FIELDS : ENGLISH_FIELDS;
}

/** Also translates failures reported by services and objects. */
export function inReadersLanguage(c: AppContext, failure: Failure): Failure {
  if (failure.issues === undefined || !isPortuguese(c)) return failure;
  return { ...failure, issues: failure.issues.map(({ field, issue, portuguese }) => ({ field, issue: portuguese ?? issue })) };
}

function isPortuguese(c: AppContext): boolean {
  return c.req.header("accept-language")?.toLowerCase().startsWith("pt") === true;
}
