// The connection's webhook and its deliveries.
import { z } from "zod";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import { type DashboardRoute, message, type Rendered, route } from "../route.ts";

/** The card shows the 20 most recent (docs/delivery.md, "Retention and bounds"). */
const SHOWN_DELIVERIES = 20;

export const webhookRoutes = [
  route({
    method: "get",
    path: "/webhook",
    operation: "webhook.get",
    input: () => ({}),
    render: (webhook) => ({ body: { data: renderWebhook(webhook) } }),
  }),
  route({
    method: "put",
    path: "/webhook",
    operation: "webhook.put",
    body: z.strictObject({ url: z.string().min(1).max(2048), events: z.array(z.string().max(64)).max(64).nullish() }),
    input: ({ body }) => ({ url: body.url, events: body.events ?? null }),
    // On creation only, and null when a repeated Idempotency-Key asks for it again.
    render: ({ created, secret, ...webhook }) =>
      created ? { status: 201, body: { data: { ...renderWebhook(webhook), secret } } } : { body: { data: renderWebhook(webhook) } },
  }),
  route({ method: "delete", path: "/webhook", operation: "webhook.delete", input: () => ({}), render: message("The webhook is deleted.") }),
  route({ method: "post", path: "/webhook/test", operation: "webhook.test", input: () => ({}), render: (data) => ({ body: { data } }) }),
  route({
    method: "post",
    path: "/webhook/rotate",
    operation: "webhook.rotate",
    input: () => ({}),
    render: (data) => ({ body: { data } }),
  }),
  route({
    method: "post",
    path: "/webhook/reactivate",
    operation: "webhook.reactivate",
    input: () => ({}),
    render: (webhook) => ({ body: { data: renderWebhook(webhook) } }),
  }),
  route({
    method: "post",
    path: "/webhook/resend",
    operation: "webhook.resend_failed",
    body: z.strictObject({ since: z.iso.datetime({ offset: true }) }),
    input: ({ body }) => ({ since: Date.parse(body.since) }),
    render: (data) => ({ body: { data } }),
  }),
  route({
    method: "get",
    path: "/webhook/deliveries",
    operation: "webhook.deliveries",
    input: () => ({ limit: SHOWN_DELIVERIES }),
    render: ({ items }) => ({ body: { data: items.map(renderDelivery) } }),
  }),
  ...["/deliveries", "/webhook/deliveries"].flatMap(singleDelivery),
];

function singleDelivery(base: string): DashboardRoute[] {
  return [
    route({
      method: "get",
      path: `${base}/{delivery_id}`,
      operation: "webhook.delivery",
      input: ({ params }) => ({ id: params["delivery_id"] ?? "" }),
      render: ({ request_body, attempt_log, ...delivery }): Rendered => ({
        body: {
          data: {
            ...renderDelivery(delivery),
            request_body,
            attempt_log: attempt_log.map(({ at, ...made }) => ({ at: isoOfMs(at), ...made })),
          },
        },
      }),
    }),
    route({
      method: "post",
      path: `${base}/{delivery_id}/resend`,
      operation: "webhook.resend",
      input: ({ params }) => ({ id: params["delivery_id"] ?? "" }),
      render: message("The delivery is being sent again, with the same id."),
    }),
  ];
}

function renderWebhook(webhook: OperationOutput<"webhook.get">) {
  const { url, events, status } = webhook;
  return {
    url,
    events,
    status,
    disabled_at: isoOfMsOrNull(webhook.disabled_at),
    last_success_at: isoOfMsOrNull(webhook.last_success_at),
    created_at: isoOfMs(webhook.created_at),
  };
}

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
