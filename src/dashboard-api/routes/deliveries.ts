// Deliveries of the connection's webhook.
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import { message, operation } from "../route.ts";

/** The card shows the 20 most recent (docs/delivery.md, "Retention and bounds"). */
const SHOWN_DELIVERIES = 20;

export const deliveryRoutes = [
  operation("GET /connections/{id}/webhook/deliveries", {
    operation: "webhook.deliveries",
    input: () => ({ limit: SHOWN_DELIVERIES }),
    render: ({ items }) => ({ data: items.map(renderDelivery) }),
  }),
  operation("GET /connections/{id}/deliveries/{delivery_id}", {
    operation: "webhook.delivery",
    input: ({ params }) => ({ id: params.delivery_id }),
    render: ({ request_body, attempt_log, ...delivery }) => ({
      data: {
        ...renderDelivery(delivery),
        request_body,
        attempt_log: attempt_log.map(({ at, ...made }) => ({ at: isoOfMs(at), ...made })),
      },
    }),
  }),
  operation("POST /connections/{id}/deliveries/{delivery_id}/resend", {
    operation: "webhook.resend",
    input: ({ params }) => ({ id: params.delivery_id }),
    render: message("The delivery is being sent again, with the same id."),
  }),
];

function renderDelivery(delivery: OperationOutput<"webhook.deliveries">["items"][number]) {
  const { id, event, status, http_status, attempts, last_error } = delivery;
  return {
    id,
    event,
    status,
    http_status,
    attempts,
    last_error,
    created_at: isoOfMs(delivery.created_at),
    delivered_at: isoOfMsOrNull(delivery.delivered_at),
    next_attempt_at: isoOfMsOrNull(delivery.next_attempt_at),
  };
}
