// The owner's operations on the connection's webhook and its deliveries.
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { Deliveries } from "./deliveries.ts";
import type { HandlersOf } from "../handlers.ts";

type WebhookOperation = Extract<OperationName, `webhook.${string}`>;

export function webhookOperations(deliveries: Deliveries): HandlersOf<WebhookOperation> {
  const { webhook } = deliveries;
  return {
    "webhook.get": () => webhook.get(),
    "webhook.put": ({ url, events }) => webhook.put(url, events),
    "webhook.delete": () => webhook.delete(),
    "webhook.test": () => webhook.test(),
    "webhook.rotate": () => webhook.rotate(),
    "webhook.reactivate": () => webhook.reactivate(),
    "webhook.deliveries": (query) => webhook.deliveries(query),
    "webhook.signed": ({ id }) => webhook.signed(id),
    "webhook.delivery": ({ id }) => webhook.delivery(id),
    "webhook.resend": ({ id }) => webhook.resend(id),
    "webhook.resend_failed": ({ since }) => webhook.resendFailed(since),
  };
}
