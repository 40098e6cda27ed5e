import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { DeliveryRecord } from "@gateway/protocol/records.ts";
import { action, message, operation } from "../route.ts";
import { callAs, readAs } from "../call-as.ts";
import { receiversOf } from "#root/src/services/account-webhooks/receivers.ts";

export const webhookRoutes = [
  action("GET /connections/{id}/webhook", "member", async (c, member) => {
    const found = await callAs(c, member, "webhook.get", {});
    if (found.ok) return { ok: true, value: { data: renderWebhook(found.value) } };
    return found.failure.code === "webhook_not_found" ? { ok: true, value: { data: null } } : found;
  }),
  operation("PUT /connections/{id}/webhook", {
    operation: "webhook.put",
    input: ({ body }) => ({ url: body.url, events: body.events ?? null }),
    render: ({ created, secret, ...webhook }) => ({ data: { ...renderWebhook(webhook), ...(created ? { secret } : {}) } }),
    created: ({ data }) => data.secret !== undefined,
  }),
  operation("DELETE /connections/{id}/webhook", {
    operation: "webhook.delete",
    input: () => ({}),
    render: message("The webhook is deleted."),
  }),
  operation("POST /connections/{id}/webhook/test", { operation: "webhook.test", input: () => ({}), render: (data) => ({ data }) }),
  operation("POST /connections/{id}/webhook/rotate", { operation: "webhook.rotate", input: () => ({}), render: (data) => ({ data }) }),
  operation("POST /connections/{id}/webhook/reactivate", {
    operation: "webhook.reactivate",
    input: () => ({}),
    render: (webhook) => ({ data: renderWebhook(webhook) }),
  }),
  operation("POST /connections/{id}/webhook/resend", {
    operation: "webhook.resend_failed",
    input: ({ body }) => ({ since: Date.parse(body.since) }),
    render: (data) => ({ data }),
  }),
];

function renderWebhook(webhook: OperationOutput<"webhook.get">) {
  const { url, events, status } = webhook;
  return {
    url,
    events,
    status,
    disabled_at: isoOfMsOrNull(webhook.disabled_at),
    last_success_at: isoOfMsOrNull(webhook.last_success_at),
    created_at: isoOfMs(webhook.created_at),
    failing_since: isoOfMsOrNull(webhook.failing_since),
    disables_at: isoOfMsOrNull(webhook.disables_at),
    previous_secret_until: isoOfMsOrNull(webhook.previous_secret_until),
    can_reactivate: webhook.can_reactivate,
    new_events: webhook.new_events,
  };
}

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
  // This is not an `operation`, because it changes nothing and its signature must not be stored for replays.
  action("POST /connections/{id}/deliveries/{delivery_id}/signed", "owner", async (c, member, { params }) => {
    const signed = await readAs(c, member, "webhook.signed", { id: params.delivery_id });
    return signed.ok ? { ok: true, value: { data: signed.value } } : signed;
  }),
  operation("POST /connections/{id}/deliveries/{delivery_id}/resend", {
    operation: "webhook.resend",
    input: ({ params }) => ({ id: params.delivery_id }),
    render: message("The delivery is being sent again, with the same id."),
  }),
  action("GET /admin/instances/{instance_id}/webhooks", "admin", async (c, { id: subject }, { params }) => {
    const receivers = await receiversOf(c.env, params.instance_id, { subject, requestId: c.get("requestId") });
    if (!receivers.ok) return receivers;
    const data = receivers.value.map(({ id, url, isActive, lastSuccessAt, deliveries }) => {
      return { id, url, is_active: isActive, last_success_at: isoOfMsOrNull(lastSuccessAt), deliveries: deliveries.map(renderDelivery) };
    });
    return { ok: true, value: { data } };
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
