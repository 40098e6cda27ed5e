// Parses a request by its route's schemas. Returns failures instead of sending them, because the object's checks come first.
import type { Hash } from "node:crypto";
import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { AppContext } from "./app-env.ts";
import { DISCARD_OF_CALLERS, type IncomingBody } from "./body/incoming-body.ts";
import { MAX_ISSUES, readJson, readNothing } from "./body/read.ts";
import { canonicalQuery, filledPath, fingerprint, queryOfRead, shortName } from "./fingerprint.ts";
import { RequestFiles } from "./request-files.ts";
import { InlineFile } from "./body/file-extractor.ts";

const known = new WeakMap<z.ZodType, number>();
const SAMPLE = new InlineFile([Uint8Array.of(0)]);

function filesTaken(schema: z.ZodType): number {
  let files = known.get(schema);
  if (files === undefined) {
    files = hasPlaceForFile(schema, new Set()) ? LIMITS.filesPerBody : 0;
    known.set(schema, files);
  }
  return files;
}

function hasPlaceForFile(part: unknown, seen: Set<unknown>): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  if (!("_zod" in part)) return Object.values(part).some((inner) => hasPlaceForFile(inner, seen));
  const { def } = (part as z.ZodType)._zod;
  if (def.type === "custom") return (part as z.ZodType).safeParse(SAMPLE).success;
  const { checks: _, ...inner } = def;
  return hasPlaceForFile(inner, seen);
}

export type ReadableRoute = {
  path: string;
  mutating: boolean;
  params: z.ZodType | null;
  query: z.ZodType | null;
  body: z.ZodType | null;
};

/** Each part is `{}` if the route declares none, and undefined if the request is rejected. */
export type ParsedInput = { params: unknown; query: unknown; body: unknown; files: RequestFiles };

export type ReadRequest = {
  path: string;
  query: string;
  /** SHA-256 (hex) of method, path, query and body. It is "" for reads. */
  fingerprint: string;
  rejected: Failure | null;
  parsed: ParsedInput;
};

/** zod's error map, and messages for lone surrogates and invalid UTF-8. */
export type ErrorMessages = { error: z.core.$ZodErrorMap; halfCharacter: string; notUtf8: string };

const nothing = z.object({});

export async function readRequest(
  c: AppContext,
  route: ReadableRoute,
  incoming: IncomingBody,
  wording: ErrorMessages,
  named: Readonly<Record<string, string>> = c.req.param(),
): Promise<ReadRequest> {
  const search = searchOf(c.req.url);
  const params = (route.params ?? nothing).safeParse(named, wording);
  const path = params.success ? filledPath(route.path, { ...named, ...(params.data as object) }) : shortName(filledPath(route.path, named));
  const parsedQuery = (route.query ?? nothing).safeParse(firstValues(search), wording);
  const query = route.mutating ? canonicalQuery(search) : queryOfRead(parsedQuery, search);
  const digest = route.mutating ? fingerprint(c.req.method, path, query) : null;
  const body = digest === null ? EMPTY_CHANGES : await readFields(incoming, route.body, digest, wording);
  const problems = [params, parsedQuery, body.parsed].flatMap((result) => (result === null || result.success ? [] : result.error.issues));
  const rejected = notUtf8(c.req.url, wording) ?? body.failure ?? (problems.length === 0 ? null : validationFailure(problems));
  const files = new RequestFiles(body.release);
  if (rejected !== null) body.release();
  return {
    path,
    query,
    fingerprint: digest?.digest("hex") ?? "",
    rejected,
    parsed: { params: params.data, query: parsedQuery.data, body: body.parsed?.data, files },
  };
}

type Fields = { parsed: z.ZodSafeParseResult<unknown> | null; failure: Failure | null; release: () => void };

const EMPTY_CHANGES: Fields = { parsed: nothing.safeParse({}), failure: null, release: () => undefined };

/** If the route has no body schema, only the size is checked. */
async function readFields(incoming: IncomingBody, schema: z.ZodType | null, digest: Hash, wording: ErrorMessages): Promise<Fields> {
  if (schema === null) {
    const taken = await readNothing(incoming, digest);
    incoming.leave();
    return taken.ok ? EMPTY_CHANGES : { ...EMPTY_CHANGES, parsed: null, failure: taken.failure };
  }
  const { halfCharacter } = wording;
  const rules = { limitBytes: LIMITS.bodyBytes, files: filesTaken(schema), discard: DISCARD_OF_CALLERS, halfCharacter };
  const json = await readJson(incoming, rules, digest);
  if (json.ok && rules.files === 0) json.release();
  if (!json.ok) return { ...EMPTY_CHANGES, parsed: null, failure: json.failure };
  return { parsed: schema.safeParse(json.value, wording), failure: null, release: json.release };
}

function searchOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return at === -1 ? NO_SEARCH : new URLSearchParams(url.slice(at));
}

const NO_SEARCH = new URLSearchParams();

/** Rejects invalid UTF-8, which decoding would silently replace. */
function notUtf8(url: string, { notUtf8: issue }: ErrorMessages): Failure | null {
  const at = url.indexOf("?");
  if (at === -1 || !url.includes("%", at)) return null;
  const wrong = url
    .slice(at + 1)
    .split("&")
    .filter((pair) => !isText(pair));
  if (wrong.length === 0) return null;
  return { code: "validation_error", issues: wrong.slice(0, MAX_ISSUES).map((pair) => ({ field: pair.split("=")[0] ?? "", issue })) };
}

/** A percent sign that is not part of an escape is valid text. */
function isText(encoded: string): boolean {
  const bytes = encoded.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return bytes.every((run) => {
    try {
      return decodeURIComponent(run) !== "";
    } catch {
      return false;
    }
  });
}

function firstValues(search: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of search) if (!Object.hasOwn(values, name)) values[name] = value;
  return values;
}

/** An invalid `to` has its own code (docs/use/apis.md, "Errors"). */
export function validationFailure(issues: readonly z.core.$ZodIssue[]): Failure {
  const found = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), issue: issue.message }))
      : [{ field: issue.path.join("."), issue: issue.message }],
  );
  const numberOnly = issues.length > 0 && issues.every((issue) => issue.code === "custom" && issue.params?.["code"] === "invalid_number");
  return { code: numberOnly ? "invalid_number" : "validation_error", issues: found.slice(0, MAX_ISSUES) };
}
