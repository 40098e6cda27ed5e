import type { AppContext } from "#root/src/http/app-env.ts";
import * as z from "zod";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import type { ServedRoute } from "../route.ts";
import type { Params } from "../serve.ts";
import { type ResponseBody, CONTRACT, type JsonRoute, type Parsed, type Route } from "./contract/contract.ts";
import type { ContractRow, PathParameter } from "./contract/common.ts";
import type { ConnectionMember } from "./call-as.ts";

type Callers = { public: null; user: User; admin: User; member: ConnectionMember; owner: ConnectionMember };
export type Access = keyof Callers;

export type ParsedRequest<N extends Route> = {
  params: Record<PathParameter<N>, string>;
  query: Parsed<N, "query">;
  body: Parsed<N, "body">;
};

export type Result<N extends JsonRoute> = ResponseBody<N> & object;

export type DashboardContext = { c: AppContext; caller: Callers[Access]; params: Params };

export type DashboardRoute = Exclude<ServedRoute<DashboardContext>, { kind: "public" }> & { name: Route; access: Access };

/** `created` says whether to return 201. Without it, the route always returns 200. */
type Common<N extends JsonRoute> = { created?: (result: Result<N>) => boolean };

/** Checks types against the contract and then erases them. The pipeline passes only values that the contract has parsed. */
export function operation<N extends JsonRoute, O extends OperationName>(
  name: N,
  spec: Common<N> & {
    operation: O;
    input: (request: ParsedRequest<N>) => OperationInput<O>;
    render: (output: OperationOutput<O>) => Result<N>;
  },
): DashboardRoute {
  return {
    ...routeRowOf(name, "member"),
    kind: "operation",
    operation: spec.operation,
    counted: false,
    cached: false,
    input: (given) => spec.input(given as ParsedRequest<N>),
    render: (output, { c }) => bodyOf(c, spec.render(output as OperationOutput<O>), spec.created),
  };
}

export function action<N extends JsonRoute, A extends Access>(
  name: N,
  access: A,
  run: (c: AppContext, caller: Callers[A], request: ParsedRequest<N>) => Promise<Outcome<Result<N>>>,
  { created }: Common<N> = {},
): DashboardRoute {
  return {
    ...routeRowOf(name, access),
    kind: "action",
    run: ({ c, caller }, given) => run(c, caller as Callers[A], given as ParsedRequest<N>),
    render: (value, { c }) => bodyOf(c, value as Result<N>, created),
  };
}

export function stream<N extends Exclude<Route, JsonRoute>, A extends Access>(
  name: N,
  access: A,
  run: (c: AppContext, caller: Callers[A], request: ParsedRequest<N>) => Promise<Outcome<object> | Response>,
): DashboardRoute {
  return {
    ...routeRowOf(name, access),
    kind: "action",
    run: async ({ c, caller }, given) => {
      const result = await run(c, caller as Callers[A], given as ParsedRequest<N>);
      return result instanceof Response ? succeed(result) : result;
    },
    render: (result) => result,
  };
}

function routeRowOf<N extends Route>(name: N, access: Access) {
  const [method = "", path = ""] = name.split(" ");
  const row: ContractRow = CONTRACT[name];
  return {
    name,
    access,
    method: method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete",
    path,
    mutating: method !== "GET",
    params: null,
    query: row.query ?? null,
    body: row.body === "file" ? null : (row.body ?? z.unknown()),
    status: 200 as const,
    noStore: false,
  };
}

function bodyOf<T extends object>(c: AppContext, result: T, created?: (result: T) => boolean): T | Response {
  return created?.(result) === true ? c.json(result, 201) : result;
}

export function message(text: string): () => { message: string } {
  return () => ({ message: text });
}
