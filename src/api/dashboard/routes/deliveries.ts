import { isoOfMs, isoOfMsOrNull } from "#root/src/http/times.ts";
import type { DeliveryRecord } from "@gateway/protocol/records.ts";
import { action, message, operation } from "../route.ts";
import { readAs } from "../call-as.ts";

export const deliveryRoutes = [
  operation("GET /connections/{id}/webhook/deliveries", {
    operation: "webhook.deliveries",
    input: ({ query: { status, event, limit, cursor } }) => ({
      status: status === undefined ? null : [status],
      event: event ?? null,
      limit,
      before: cursor === undefined ? null : { place: Number(cursor) },
    }),
    render: ({ items, more }) => ({ data: items.map(renderDelivery), next_cursor: more ? String(items.at(-1)?.place ?? 0) : null }),
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
  // Not an `operation`: it changes nothing, so no signature is stored for a repeated Idempotency-Key.
  action("POST /connections/{id}/deliveries/{delivery_id}/signed", "owner", async (c, member, { params }) => {
    const signed = await readAs(c, member, "webhook.signed", { id: params.delivery_id });
    return signed.ok ? { ok: true, value: { data: signed.value } } : signed;
  }),
  operation("POST /connections/{id}/deliveries/{delivery_id}/resend", {
    operation: "webhook.resend",
    input: ({ params }) => ({ id: params.delivery_id }),
    render: message("The delivery is being sent again, with the same id."),
  }),
];

function renderDelivery(delivery: DeliveryRecord) {
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
