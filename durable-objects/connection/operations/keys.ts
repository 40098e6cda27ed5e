// The owner's operations on the connection's keys.
import type { Outcome } from "../../../src/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "../../../src/protocol/operations.ts";
import type { ApiKeys } from "../admission/api-keys.ts";

type KeyOperation = "keys.list" | "keys.create" | "keys.revoke";
type KeyHandlers = { [N in KeyOperation]: (input: OperationInput<N>) => Outcome<OperationOutput<N>> };

export function keyOperations(keys: ApiKeys): KeyHandlers {
  return {
    "keys.list": () => ({ ok: true, value: { items: keys.list() } }),
    "keys.create": (input) => keys.create(input, crypto.randomUUID(), Date.now()),
    "keys.revoke": ({ id }) => keys.revoke(id, Date.now()),
  };
}
