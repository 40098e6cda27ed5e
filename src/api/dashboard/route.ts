// A row of the dashboard's API: a name of the contract, who may call it, and what it does. Types are checked against the contract here,
// then erased.
import type { AppContext } from "../../http/app-env.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { User } from "../../services/users/user-table.ts";
import type { Answer, JsonRoute, Parsed, Route } from "./contract/contract.ts";
import type { PathParameter } from "./contract/row.ts";
import type { ConnectionMember } from "./run-operation.ts";

/** `member`: of the connection in the path; `owner`: its owner. `admin`: an administrator of the service. */
type Callers = { public: null; user: User; admin: User; member: ConnectionMember; owner: ConnectionMember };
export type Access = keyof Callers;

/** The request's parts, parsed by the contract. */
export type ParsedRequest<N extends Route> = {
  params: Record<PathParameter<N>, string>;
  query: Parsed<N, "query">;
  body: Parsed<N, "body">;
};
type AnyParsedRequest = { params: Record<string, string>; query: unknown; body: unknown };

export type Result<N extends JsonRoute> = Answer<N> & object;
type Status = 200 | 201;

type Shared = { name: Route; access: Access; status: (answer: unknown) => Status };

/** One operation of the connection's object, which checks the role itself. */
type OperationRow = Shared & {
  kind: "operation";
  operation: OperationName;
  input: (request: AnyParsedRequest) => unknown;
  render: (output: unknown) => object;
};

/** Work of the worker itself. A Response is passed on as it is. */
type ActionRow = Shared & {
  kind: "action";
  run: (c: AppContext, caller: unknown, request: AnyParsedRequest) => Promise<Outcome<object> | Response>;
};

export type DashboardRoute = OperationRow | ActionRow;

/** `created`: whether the answer is 201; absent: never. */
type Common<N extends JsonRoute> = { created?: (answer: Result<N>) => boolean };

export function operation<N extends JsonRoute, O extends OperationName>(
  name: N,
  spec: Common<N> & {
    operation: O;
    input: (request: ParsedRequest<N>) => OperationInput<O>;
    render: (output: OperationOutput<O>) => Result<N>;
  },
): DashboardRoute {
  return {
    kind: "operation",
    name,
    access: "member",
    operation: spec.operation,
    status: statusOf(spec.created),
    // The surface hands over what the contract has parsed, and the output of this very operation.
    input: spec.input as OperationRow["input"],
    render: spec.render as OperationRow["render"],
  };
}

export function action<N extends JsonRoute, A extends Access>(
  name: N,
  access: A,
  run: (c: AppContext, caller: Callers[A], request: ParsedRequest<N>) => Promise<Outcome<Result<N>>>,
  common: Common<N> = {},
): DashboardRoute {
  return { kind: "action", name, access, status: statusOf(common.created), run: run as ActionRow["run"] };
}

/** A row that answers no JSON: server-sent events, or a file. */
export function stream<N extends Exclude<Route, JsonRoute>, A extends Access>(
  name: N,
  access: A,
  run: (c: AppContext, caller: Callers[A], request: ParsedRequest<N>) => Promise<Outcome<object> | Response>,
): DashboardRoute {
  return { kind: "action", name, access, status: () => 200, run: run as ActionRow["run"] };
}

function statusOf<N extends JsonRoute>(created: Common<N>["created"]): Shared["status"] {
  return (answer) => (created?.(answer as Result<N>) === true ? 201 : 200);
}

/** Actions answer with a sentence, as on the Account API. */
export function message(text: string): () => { message: string } {
  return () => ({ message: text });
}
