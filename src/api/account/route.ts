// A route of the Account API is a row of data: routing, validation, documentation and the security suite all come from it. Most rows of an
// instance are one operation of its object; what concerns the account is an action of the worker behind the account's guard.
import type { z } from "@hono/zod-openapi";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import type { AppContext } from "../../http/app-env.ts";
import type { DocumentedRoute, Effect, RouteNotes } from "../../http/openapi/surface.ts";
import type { RequestFiles } from "../../http/request-files.ts";
import { takenFields } from "../route.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import {
  type FieldRules,
  type Kind,
  kindsOf,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "@gateway/protocol/operations.ts";
import type { RequestContext } from "./request-context.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
type Status = 200 | 201 | 202;
type Shape = z.ZodType;

/** Parsed parameters and query, and the parsed body; `{}` where the route declares none. `files` collects the files of the body. */
export type ParsedInput<P extends Shape, Q extends Shape, B extends Shape> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  files: RequestFiles;
};
type AnyParsedInput = { params: unknown; query: unknown; body: unknown; files: RequestFiles };

type Described<R extends Shape> = RouteNotes & {
  /** The operation's public name (`operationId`): what it does, in camelCase. Generated clients call their methods by it. */
  name: string;
  effect: Effect;
  method: Method;
  /** After `/api`, parameters as `{chatId}`. A path with `{instanceId}` acts on that instance. */
  path: string;
  summary: string;
  status?: Status;
  /** Answered with `Cache-Control: no-store`. */
  noStore?: true;
  /** Answers with server-sent events. */
  streams?: true;
  response: R;
};

type InputSchemas<P extends Shape, Q extends Shape, B extends Shape> = { params?: P; query?: Q; body?: B };

/** The scope that the caller needs; null: any valid credential. */
type Authorized = { scope: Scope | null };

type OperationSpec<N extends OperationName, P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Described<R> &
  InputSchemas<P, Q, B> &
  Authorized & {
    operation: N;
    /** Works on business accounts only; others answer 403 `business_account_required`. */
    business?: true;
    input: (parsed: ParsedInput<P, Q, B>) => OperationInput<N>;
    /** A Response when the answer is streamed. */
    render: (
      output: OperationOutput<N>,
      context: RequestContext,
      parsed: ParsedInput<P, Q, B>,
    ) => z.input<R> | Response | Promise<z.input<R> | Response>;
  };

export type ActionSpec<T, P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Described<R> &
  InputSchemas<P, Q, B> &
  Authorized & {
    /** Refuses API keys. */
    bearerOnly?: true;
    /** Only for the owner of the instance in the path. */
    ownerOnly?: true;
    /** Its result is stored for a repeated Idempotency-Key, so it must hold no secret (`RequestContext.oneTimeSecrets`). */
    run: (context: RequestContext, parsed: ParsedInput<P, Q, B>) => Promise<Outcome<T>>;
    render: (value: T, context: RequestContext) => z.input<R> | Promise<z.input<R>>;
  };

type Row = Omit<DocumentedRoute, "tag"> & { status: Status; noStore: boolean; streams: boolean; response: Shape };

export type OperationRoute = Row & {
  kind: "operation";
  scope: Scope | null;
  operation: OperationName;
  /** The kinds of instance that it works on; the others answer 501 `not_supported`. */
  kinds: readonly Kind[];
  /** What of its body is not for all of them. */
  fields: FieldRules;
  /** Falls under the repeated-read limit. */
  counted: boolean;
  /** Works on business accounts only; others answer 403 `business_account_required`. */
  business: boolean;
  input: (parsed: AnyParsedInput) => unknown;
  render: (output: unknown, context: RequestContext, parsed: AnyParsedInput) => object | Response | Promise<object>;
};

export type ActionRoute = Row & {
  kind: "action";
  scope: Scope | null;
  bearerOnly: boolean;
  ownerOnly: boolean;
  run: (context: RequestContext, parsed: AnyParsedInput) => Promise<Outcome<unknown>>;
  render: (value: unknown, context: RequestContext) => object | Promise<object>;
};

/** `families`: the whole table, for the description of the API. */
type PublicHandler = (c: AppContext, families: readonly Family[]) => Response | Promise<Response>;
export type PublicRoute = Row & { kind: "public"; isPublic: true; answer: PublicHandler };

export type RouteRow = OperationRoute | ActionRoute | PublicRoute;

/** `tag`: the name of its family. */
export type Route = RouteRow & { tag: string };

/** Routes that belong together: one chapter of the documentation. */
export type Family = { name: string; title: string; description: string; routes: readonly RouteRow[] };

export function routesOf(families: readonly Family[]): readonly Route[] {
  return families.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, tag: name })));
}

/** A row that is one operation of the instance's object. Its types are checked against each other here, then erased. */
export function operation<
  N extends OperationName,
  R extends Shape,
  P extends Shape = z.ZodObject,
  Q extends Shape = z.ZodObject,
  B extends Shape = z.ZodObject,
>(spec: OperationSpec<N, P, Q, B, R>): OperationRoute {
  return {
    ...rowOf(spec),
    kind: "operation",
    scope: spec.scope,
    operation: spec.operation,
    kinds: kindsOf(spec.operation),
    fields: takenFields(spec.operation, spec.body),
    counted: spec.method === "get",
    business: spec.business ?? false,
    // The surface hands over what these very schemas have parsed, and the output of this very operation.
    input: spec.input as OperationRoute["input"],
    render: spec.render as OperationRoute["render"],
  };
}

/** A row that the worker runs itself, admitted by the account's guard. */
export function action<T, R extends Shape, P extends Shape = z.ZodObject, Q extends Shape = z.ZodObject, B extends Shape = z.ZodObject>(
  spec: ActionSpec<T, P, Q, B, R>,
): ActionRoute {
  return {
    ...rowOf(spec),
    kind: "action",
    scope: spec.scope,
    bearerOnly: spec.bearerOnly ?? false,
    ownerOnly: spec.ownerOnly ?? false,
    // The result of `run` crosses to the guard and back as JSON; actions return plain values, so it is unchanged.
    run: spec.run as ActionRoute["run"],
    render: spec.render as ActionRoute["render"],
  };
}

/** A row without authentication. */
export function publicRoute(spec: Described<Shape> & { answer: PublicRoute["answer"] }): PublicRoute {
  return { ...rowOf(spec), kind: "public", isPublic: true, answer: spec.answer };
}

function rowOf(spec: Described<Shape> & InputSchemas<Shape, Shape, Shape>): Row {
  return {
    ...spec,
    status: spec.status ?? 200,
    mutating: spec.method !== "get",
    noStore: spec.noStore ?? false,
    streams: spec.streams ?? false,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
  };
}
