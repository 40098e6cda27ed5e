// Deliveries of an account's webhook endpoints.
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { Deliveries } from "./deliveries.ts";
import type { HandlersOf } from "../handlers.ts";

type EndpointOperation = Extract<OperationName, `endpoints.${string}`>;

export function endpointOperations({ account }: Deliveries): HandlersOf<EndpointOperation> {
  return {
    "endpoints.test": ({ endpoint_id }) => account.test(endpoint_id),
    "endpoints.deliveries": ({ endpoint_id, ...query }) => account.deliveries(endpoint_id, query),
    "endpoints.delivery": ({ endpoint_id, id }) => account.delivery(endpoint_id, id),
    "endpoints.resend": ({ endpoint_id, id }) => account.resend(endpoint_id, id),
    "endpoints.resend_failed": ({ endpoint_id, since, until }) => account.resendFailed(endpoint_id, since, until),
  };
}
