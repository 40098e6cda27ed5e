// A route is a row of data, from which routing, validation, documentation, capabilities and security tests are derived.
import type { z } from "zod";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import type { FailureCode, Outcome } from "@gateway/protocol/failures.ts";
import {
  fieldsOf,
  type FieldRules,
  type ConnectionKind,
  kindsOf,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "@gateway/protocol/operations.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import type { DocumentedRoute, Effect, RouteNotes } from "#root/src/http/openapi/surface.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import type { ParsedInput, ReadableRoute } from "#root/src/http/read-request.ts";
import type { RequestFiles } from "#root/src/http/request-files.ts";
import type { AccountContext, Context } from "./context.ts";
import type { RenderContext } from "./responses.ts";

type Shape = z.ZodType;
type Status = 200 | 201 | 202;

type Served = ReadableRoute & { name: string; method: DocumentedRoute["method"]; status: Status; noStore: boolean };

type ServedOperation<C> = Served & {
  kind: "operation";
  operation: OperationName;
  counted: boolean;
  cached: boolean;
  accepted?: DocumentedRoute["accepted"];
  input: (given: ParsedInput) => unknown;
  render: (output: unknown, context: C, given: ParsedInput) => unknown;
};

type ServedAction<C> = Served & {
  kind: "action";
  run: (context: C, given: ParsedInput) => Promise<Outcome<unknown>>;
  render: (value: unknown, context: C) => unknown;
};

type ServedPublic = Served & { kind: "public"; respond: (c: AppContext) => Response | Promise<Response> };

export type ServedRoute<C> = ServedOperation<C> | ServedAction<C> | ServedPublic;

type RouteRow = Omit<DocumentedRoute, "tag"> & { status: Status; noStore: boolean; streams: boolean; response: Shape };

export type OperationRoute<C = Context> = RouteRow &
  ServedOperation<C> & {
    scope: Scope;
    kinds: readonly ConnectionKind[];
    fields: FieldRules;
    business: boolean;
  };

export type ActionRoute = RouteRow & ServedAction<AccountContext> & { scope: Scope | null; bearerOnly: boolean; ownerOnly: boolean };

export type PublicRoute = RouteRow & ServedPublic & { isPublic: true };

export type AccountRow = OperationRoute<AccountContext> | ActionRoute | PublicRoute;

export type Family<R = OperationRoute> = { name: string; title: Text; description: Text; routes: readonly R[] };

/** Parsed parameters, query and body, or `{}` if the route declares none. `files` receives the files in the body. */
export type Given<P extends Shape, Q extends Shape, B extends Shape> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  files: RequestFiles;
};

type Described<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Omit<RouteNotes, "accepted"> & {
  method: DocumentedRoute["method"];
  /** Relative to the API's prefix, with parameters as `{chatId}`. A shared route omits `/instances/{instanceId}`. */
  path: string;
  /** The `operationId` in camelCase, which is the method name in generated clients. */
  name: string;
  effect: Effect;
  summary: Text;
  status?: Status;
  noStore?: true;
  streams?: true;
  params?: P;
  query?: Q;
  body?: B;
  response: R;
};

/** Routes with a scope belong to the Account API, so their context includes the caller. */
type ContextOf<S> = [S] extends [undefined] ? Context : AccountContext;

type Responded<R extends Shape> = z.input<R> | Response;

type OperationSpec<
  N extends OperationName,
  S extends Scope | undefined,
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  R extends Shape,
> = Described<P, Q, B, R> & {
  operation: N;
  /** If absent, both APIs have the route, and `effect` determines the scope. */
  scope?: S;
  counted?: true;
  /** Supported kinds of connection, if the content or recipient allows fewer kinds than the operation. */
  kinds?: readonly ConnectionKind[];
  business?: true;
  failures?: readonly FailureCode[];
  input: (given: Given<P, Q, B>) => OperationInput<N>;
  /** If `of` returns an object, the network does the work later, and the object becomes the body of the 202 response. */
  accepted?: { response: Shape; of(output: OperationOutput<N>): object | null };
} & (
    | { cached?: never; render: Render<N, S, P, Q, B, Responded<R> | Promise<Responded<R>>> }
    // Synchronous and without the request's input, because the rendered text is cached by route and output (`RenderedResponses`).
    | { cached: true; render: (output: OperationOutput<N>, context: RenderContext) => z.input<R> }
  );

type Render<N extends OperationName, S, P extends Shape, Q extends Shape, B extends Shape, T> = (
  output: OperationOutput<N>,
  context: ContextOf<S>,
  given: Given<P, Q, B>,
) => T;

export type ActionSpec<T, P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Described<P, Q, B, R> & {
  scope: Scope | null;
  bearerOnly?: true;
  ownerOnly?: true;
  /** The result is stored for replays, so it must not contain secrets. Use `AccountContext.oneTimeSecrets` for secrets. */
  run: (context: AccountContext, given: Given<P, Q, B>) => Promise<Outcome<T>>;
  render: (value: T, context: AccountContext) => Responded<R> | Promise<Responded<R>>;
};

type PublicSpec<R extends Shape> = Described<Shape, Shape, Shape, R> & { isPublic: true; respond: PublicRoute["respond"] };

const SCOPES: Readonly<Record<Effect, Scope>> = { read: "read", change: "send", destructive: "send" };

/** Checks the types of a route against each other and against its operation, and then erases them. */
export function route<
  N extends OperationName,
  R extends Shape,
  S extends Scope | undefined = undefined,
  P extends Shape = z.ZodObject,
  Q extends Shape = z.ZodObject,
  B extends Shape = z.ZodObject,
>(spec: OperationSpec<N, S, P, Q, B, R>): OperationRoute<ContextOf<S>>;
export function route<T, R extends Shape, P extends Shape = z.ZodObject, Q extends Shape = z.ZodObject, B extends Shape = z.ZodObject>(
  spec: ActionSpec<T, P, Q, B, R>,
): ActionRoute;
export function route<R extends Shape>(spec: PublicSpec<R>): PublicRoute;
export function route(spec: AnySpec): OperationRoute<AccountContext> | ActionRoute | PublicRoute {
  const row: RouteRow = {
    ...spec,
    status: spec.status ?? 200,
    // Depends on the method, not the effect, because the APIs promise `Idempotency-Key` for everything except GET.
    mutating: spec.method !== "get",
    noStore: spec.noStore ?? false,
    streams: spec.streams ?? false,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
  };
  if ("respond" in spec) return { ...row, kind: "public", isPublic: true, respond: spec.respond };
  if ("run" in spec) {
    const { scope, bearerOnly = false, ownerOnly = false, run, render } = spec;
    return { ...row, kind: "action", scope, bearerOnly, ownerOnly, run, render };
  }
  const { operation, input, render } = spec;
  return {
    ...row,
    kind: "operation",
    operation,
    scope: spec.scope ?? SCOPES[spec.effect],
    counted: spec.counted ?? false,
    cached: spec.cached ?? false,
    kinds: spec.kinds ?? kindsOf(operation),
    fields: takenFields(operation, spec.body),
    business: spec.business ?? false,
    input,
    render,
  };
}

/** A row without its types. The pipeline passes only input that the row's schemas have parsed, and only output from the row's operation. */
type AnySpec = Described<Shape, Shape, Shape, Shape> &
  (
    | (Pick<OperationRoute<AccountContext>, "operation" | "input" | "render"> &
        Partial<Pick<OperationRoute, "scope" | "counted" | "cached" | "kinds" | "business">>)
    | (Pick<ActionRoute, "scope" | "run" | "render"> & Partial<Pick<ActionRoute, "bearerOnly" | "ownerOnly">>)
    | Pick<PublicRoute, "respond">
  );

/** Body fields that some kinds of connection do not accept. */
function takenFields(operation: OperationName, body: Shape | undefined): FieldRules {
  const taken = body !== undefined && "shape" in body ? Object.keys(body.shape as object) : [];
  return Object.fromEntries(Object.entries(fieldsOf(operation)).filter(([field]) => taken.includes(field)));
}
