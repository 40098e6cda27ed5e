// The owner's operations on the connection's keys.
import type { Outcome } from "../../../src/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "../../../src/protocol/operations.ts";
import type { ApiKeys } from "../admission/api-keys.ts";

type KeyOperation = "keys.list" | "keys.create" | "keys.revoke";
type KeyHandlers = { [N in KeyOperation]: (input: OperationInput<N>) => Outcome<OperationOutput<N>> };

/** `now` in Unix ms; `newId` makes a fresh id per key. */
export function keyOperations(keys: ApiKeys, now: () => number, newId: () => string): KeyHandlers {
  return {
    "keys.list": () => ({ ok: true, value: { items: keys.list() } }),
    "keys.create": (input) => keys.create(input, newId(), now()),
    "keys.revoke": ({ id }) => keys.revoke(id, now()),
  };
}
