// The owner's operations on the connection's keys, and what was asked of the connection.
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import type { Acts } from "../actions/action-log.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { RequestLog } from "../requests/request-log.ts";
import type { HandlersOf } from "../handlers.ts";

type KeyOperation = "keys.list" | "keys.create" | "keys.revoke";
type KeyHandlers = { [N in KeyOperation]: (input: OperationInput<N>) => Outcome<OperationOutput<N>> };

export function keyOperations(keys: ApiKeys): KeyHandlers {
  return {
    "keys.list": () => succeed({ items: keys.list() }),
    "keys.create": (input) => keys.create(input, crypto.randomUUID(), Date.now()),
    "keys.revoke": ({ id }) => keys.revoke(id, Date.now()),
  };
}

export function requestOperations(requests: RequestLog): HandlersOf<"requests.list" | "requests.summary" | "requests.get"> {
  return {
    "requests.list": ({ limit, before, ...filter }, { now }) => succeed(requests.page(filter, limit, before, now)),
    "requests.summary": (_input, { now }) => succeed(requests.summary(now)),
    "requests.get": ({ id }, { now }) => requests.find(id, now),
  };
}

export function actOperations(acts: Acts): HandlersOf<"acts.list" | "acts.enter"> {
  return {
    "acts.list": ({ limit, before }, { now }) => succeed(acts.list(limit, before, now)),
    // Entered as every call that was done (`Acts.add`).
    "acts.enter": () => succeed({}),
  };
}
