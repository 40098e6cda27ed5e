// A route that both APIs have is a row of data: routing, validation, documentation and the security suite of each come from it. The
// Connection API serves it as it stands, the Account API on the instance in its path.
import type { z } from "@hono/zod-openapi";
import type { DocumentedRoute, Effect, RequestExample } from "../http/openapi/surface.ts";
import type { RequestFiles } from "../http/request-files.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { RenderContext } from "./answers.ts";
import {
  fieldsOf,
  type FieldRules,
  type Kind,
  kindsOf,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "@gateway/protocol/operations.ts";

type Shape = z.ZodType;
/** Parsed parameters and query, and the parsed body; `{}` where the route declares none. `files` takes what the body carries. */
type Given<P extends Shape, Q extends Shape, B extends Shape> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  files: RequestFiles;
};

type RouteSpec<N extends OperationName, P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = {
  method: DocumentedRoute["method"];
  /** After `/api/v1` or `/api/instances/{instanceId}`, parameters as `{chatId}`. */
  path: string;
  /** See `DocumentedRoute`. */
  name: string;
  effect: Effect;
  operation: N;
  /** One line; `description` (Markdown) says more. Both are English; `docs/portuguese` translates them. */
  summary: string;
  description?: string;
  /** Beside those that every such route has. */
  failures: readonly FailureCode[];
  /** A test executes it. A route without a body needs none: its parameters have examples of their own. */
  example?: RequestExample;
  /** `counted`: falls under the repeated-read limit; `cached`: may be served from the 10-second cache (docs/use/connection-api.md, "Routes"). */
  counted?: true;
  cached?: true;
  /** The answer gets `Cache-Control: no-store`. */
  noStore?: true;
  /** Makes something new: the Account API answers 201 (docs/use/apis.md, "Shapes"). */
  creates?: true;
  /** The kinds of connection it works on, where a content or a recipient says less than its operation (src/protocol/content.ts). */
  kinds?: readonly Kind[];
  /** Works on business accounts only; others answer 403 `exige_conta_comercial`. */
  business?: true;
  params?: P;
  query?: Q;
  body?: B;
  input: (given: Given<P, Q, B>) => OperationInput<N>;
  response: R;
  render: (output: OperationOutput<N>, context: RenderContext) => z.input<R>;
  /** Where `of` is not null, what was asked for is done later: that is answered, with 202 on both APIs. */
  accepted?: { response: z.ZodType; of(output: OperationOutput<N>): object | null };
  /** Not null: the answer is the content of a stored file, streamed because it may be too large to render (`MediaContent`). */
  stream?: (output: OperationOutput<N>, query: Readonly<Record<string, string>>) => StoredFile | null;
};

export type StoredFile = { token: string; mimetype: string };

/** A row of the table, without the types by which it was checked. */
export type RouteRow = Omit<DocumentedRoute, "tag"> & {
  name: string;
  effect: Effect;
  operation: OperationName;
  counted: boolean;
  cached: boolean;
  noStore: boolean;
  creates: boolean;
  kinds: readonly Kind[];
  fields: FieldRules;
  business: boolean;
  response: Shape;
  input: (given: { params: unknown; query: unknown; body: unknown; files: RequestFiles }) => unknown;
  render: (output: unknown, context: RenderContext) => unknown;
  stream: ((output: unknown, query: Readonly<Record<string, string>>) => StoredFile | null) | null;
};

/** Routes that belong together: a folder here, a chapter of the documentation. */
export type Family = { name: string; title: string; description: string; routes: readonly RouteRow[] };

/** Of the fields that are not for every kind, those that a body has. */
export function takenFields(operation: OperationName, body: z.ZodType | undefined): FieldRules {
  const taken = body !== undefined && "shape" in body ? Object.keys(body.shape as object) : [];
  return Object.fromEntries(Object.entries(fieldsOf(operation)).filter(([field]) => taken.includes(field)));
}

/** Checks a row's types against each other and its operation, then erases them: the table holds rows of all kinds. */
export function route<
  N extends OperationName,
  R extends Shape,
  P extends Shape = z.ZodObject,
  Q extends Shape = z.ZodObject,
  B extends Shape = z.ZodObject,
>(spec: RouteSpec<N, P, Q, B, R>): RouteRow {
  const { operation } = spec;
  return {
    ...spec,
    counted: spec.counted ?? false,
    cached: spec.cached ?? false,
    // By the method, whatever the effect: the API promises the header `Idempotency-Key` to each of the others.
    mutating: spec.method !== "get",
    noStore: spec.noStore ?? false,
    creates: spec.creates ?? false,
    kinds: spec.kinds ?? kindsOf(operation),
    fields: takenFields(operation, spec.body),
    business: spec.business ?? false,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
    // The surface hands over what these very schemas have parsed, and the output of this very operation.
    input: spec.input as RouteRow["input"],
    render: spec.render as RouteRow["render"],
    stream: (spec.stream ?? null) as RouteRow["stream"],
  };
}
