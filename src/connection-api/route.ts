// A route of the Connection API is a row of data: routing, validation, documentation and the security suite all come from it.
import type { z } from "@hono/zod-openapi";
import type { RequestFiles } from "../http/request-files.ts";
import type { ConnectionRecord } from "../protocol/connection.ts";
import { type OperationInput, type OperationName, type OperationOutput, type OperationRow, OPERATIONS } from "../protocol/operations.ts";

type Kind = ConnectionRecord["kind"];

type Method = "get" | "post" | "put" | "patch" | "delete";

/** What rendering needs besides the operation's result. `routes`: the whole table, for what is said about it. */
export type Rendering = { appUrl: string; routes: readonly Route[] };

type Shape = z.ZodType;
/** Parsed parameters and query, and the parsed body; `{}` where the route declares none. `files` takes what the body carries. */
type Given<P extends Shape, Q extends Shape, B extends Shape> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  files: RequestFiles;
};

type RouteSpec<N extends OperationName, P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = {
  method: Method;
  /** After `/api/v1`, parameters as `{chatId}`. */
  path: string;
  operation: N;
  tag: string;
  summary: string;
  /**
   * `counted`: falls under the repeated-read limit; `cached`: may be served from the 10-second cache (docs/connection-api.md, "Routes").
   */
  counted?: true;
  cached?: true;
  /** The answer must not be kept anywhere on its way. */
  noStore?: true;
  /** The kinds of connection it works on, where that is not what its operation says. The others answer 501 `nao_suportado`. */
  kinds?: readonly Kind[];
  /** Works on business accounts only; others answer 403 `exige_conta_comercial`. */
  business?: true;
  params?: P;
  query?: Q;
  body?: B;
  input: (given: Given<P, Q, B>) => OperationInput<N>;
  response: R;
  render: (output: OperationOutput<N>, rendering: Rendering) => z.input<R>;
  /** Null: rendered as ever. Else the answer is the content of a kept file, too large to be rendered whole (`MediaContent`). */
  stream?: (output: OperationOutput<N>, query: Readonly<Record<string, string>>) => KeptFile | null;
};

export type KeptFile = { token: string; mimetype: string };

export type Route = {
  method: Method;
  path: string;
  operation: OperationName;
  tag: string;
  summary: string;
  counted: boolean;
  cached: boolean;
  mutating: boolean;
  noStore: boolean;
  kinds: readonly Kind[];
  business: boolean;
  params: Shape | null;
  query: Shape | null;
  body: Shape | null;
  response: Shape;
  input: (given: { params: unknown; query: unknown; body: unknown; files: RequestFiles }) => unknown;
  render: (output: unknown, rendering: Rendering) => unknown;
  stream: ((output: unknown, query: Readonly<Record<string, string>>) => KeptFile | null) | null;
};

function kindsOf(operation: OperationName): readonly Kind[] {
  const row: OperationRow = OPERATIONS[operation];
  return row.sessionOnly === true ? ["session"] : ["session", "cloud_api"];
}

/** Checks a row's types against each other and its operation, then lets go of them: the table holds rows of all kinds. */
export function route<
  N extends OperationName,
  R extends Shape,
  P extends Shape = z.ZodObject,
  Q extends Shape = z.ZodObject,
  B extends Shape = z.ZodObject,
>(spec: RouteSpec<N, P, Q, B, R>): Route {
  const { method, path, operation, tag, summary, response } = spec;
  return {
    method,
    path,
    operation,
    tag,
    summary,
    response,
    counted: spec.counted ?? false,
    cached: spec.cached ?? false,
    mutating: method !== "get",
    noStore: spec.noStore ?? false,
    kinds: spec.kinds ?? kindsOf(operation),
    business: spec.business ?? false,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
    // The surface hands over what these very schemas have parsed, and the output of this very operation.
    input: spec.input as Route["input"],
    render: spec.render as Route["render"],
    stream: (spec.stream ?? null) as Route["stream"],
  };
}
