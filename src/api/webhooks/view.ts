import type { z } from "zod";
import { deliveryErrorText } from "@gateway/domain/webhooks/delivery.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { DeliveryDetail as Detail, DeliveryRecord } from "@gateway/protocol/records.ts";
import type { WithConnection } from "../../services/account-webhooks/deliveries.ts";
import type { AccountWebhook } from "../../services/account-webhooks/find.ts";
import type { Delivery, DeliveryDetail, Webhook } from "./schemas.ts";

/** Leaves out the secret, which must not be stored for replays. Headers may contain credentials too, so they are optional. */
export function renderWebhook(row: AccountWebhook, withHeaders: boolean): z.input<typeof Webhook> {
  const { id, userId, url, events, description, instanceId, headers, retryCount, timeoutMs, isActive } = row;
  return {
    id,
    user_id: userId,
    url,
    events,
    description,
    instance_id: instanceId,
    ...(withHeaders ? { headers } : {}),
    retry_count: retryCount,
    timeout_ms: timeoutMs,
    is_active: isActive,
    created_at: isoOfMs(row.createdAt),
    updated_at: isoOfMs(row.updatedAt),
  };
}

/** `skipped`: the webhook was switched off. */
const SHOWN_AS = { pending: "pending", delivered: "delivered", failed: "failed", skipped: "failed" } as const;

export function renderDelivery(record: WithConnection<DeliveryRecord>): z.input<typeof Delivery> {
  const { id, event, instance, status, http_status, attempts } = record;
  return {
    id,
    event,
    instance_id: instance,
    status: SHOWN_AS[status],
    http_status,
    attempts,
    created_at: isoOfMs(record.created_at),
    delivered_at: isoOfMsOrNull(record.delivered_at),
    next_attempt_at: isoOfMsOrNull(record.next_attempt_at),
    last_error: deliveryErrorText(record.last_error),
  };
}

/** `withBody`: the caller may read the event. */
export function renderDeliveryDetail(record: WithConnection<Detail>, withBody: boolean): z.input<typeof DeliveryDetail> {
  return {
    ...renderDelivery(record),
    request_body: withBody ? record.request_body : null,
    attempt_log: record.attempt_log.map(({ at, error, ...made }) => ({ at: isoOfMs(at), ...made, error: deliveryErrorText(error) })),
  };
}

export function storedStatuses(shown: z.input<typeof Delivery>["status"]): DeliveryRecord["status"][] {
  return shown === "failed" ? ["failed", "skipped"] : [shown];
}
