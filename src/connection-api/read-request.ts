// A request of Surface B as the Call its connection's object admits. What is wrong with it travels along: it is said only
// after the checks that come first (architecture, "Admission").
import type { Hash } from "node:crypto";
import { z } from "zod";
import { pt } from "zod/locales";
import type { AppContext } from "../http/app-env.ts";
import { readBody, readJsonWithFiles } from "../http/body.ts";
import { canonicalQuery, filledPath, fingerprint } from "../http/canonical.ts";
import { FileBasket } from "../http/file-basket.ts";
import { failureOfIssues } from "../http/issues.ts";
import type { Call, Caller } from "../protocol/connection.ts";
import type { Failure } from "../protocol/failures.ts";
import type { Route } from "./route.ts";

/** What is wrong with a field is said in the surface's language. */
const portuguese = { error: pt().localeError };
const nothing = z.object({});

export type ReadRequest = { call: Call; files: FileBasket };

/** `route` null: there is no such route; the call then goes only as far as the 404. */
export async function readRequest(c: AppContext, route: Route | null, caller: Caller): Promise<ReadRequest> {
  const url = new URL(c.req.url);
  const query = canonicalQuery(url.searchParams);
  const files = new FileBasket();
  const common = {
    caller,
    requestId: c.var.requestId,
    method: c.req.method,
    query,
    idempotencyKey: c.req.header("idempotency-key") ?? null,
  };
  if (route === null) {
    const flags = { mutating: false, counted: false, cached: false };
    return { call: { ...common, route: "", flags, operation: null, fingerprint: "", input: "{}", rejected: null }, files };
  }
  const { mutating, counted, cached } = route;
  const params = (route.params ?? nothing).safeParse(c.req.param(), portuguese);
  const path = filledPath(route.path, params.success ? (params.data as Record<string, string>) : c.req.param());
  const parsedQuery = (route.query ?? nothing).safeParse(firstOfEach(url.searchParams), portuguese);
  const digest = fingerprint(c.req.method, path, query);
  const body = mutating ? await readFields(c, route.body, digest) : NO_FIELDS;
  const problems = [params, parsedQuery, body.parsed].flatMap((result) => (result === null || result.success ? [] : result.error.issues));
  const rejected = body.failure ?? (problems.length === 0 ? null : failureOfIssues(problems));
  const input = rejected === null ? route.input({ params: params.data, query: parsedQuery.data, body: body.parsed?.data, files }) : {};
  const call = {
    ...common,
    route: path,
    flags: { mutating, counted, cached },
    operation: route.operation,
    fingerprint: mutating ? digest.digest("hex") : "",
    input: JSON.stringify(input),
    rejected,
  };
  return { call, files };
}

type Fields = { parsed: z.ZodSafeParseResult<unknown> | null; failure: Failure | null };

const NO_FIELDS: Fields = { parsed: nothing.safeParse({}), failure: null };

/** A route without a body schema looks at nothing of its body but the size. */
async function readFields(c: AppContext, schema: z.ZodType | null, digest: Hash): Promise<Fields> {
  if (schema === null) {
    const raw = await readBody(c.req.raw);
    if (!raw.ok) return { parsed: null, failure: raw.failure };
    digest.update(raw.bytes);
    return NO_FIELDS;
  }
  const json = await readJsonWithFiles(c.req.raw, digest);
  return json.ok ? { parsed: schema.safeParse(json.value, portuguese), failure: null } : { parsed: null, failure: json.failure };
}

function firstOfEach(search: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of search) if (!Object.hasOwn(values, name)) values[name] = value;
  return values;
}
