// The deliveries of a webhook endpoint (docs/account-api.md, "Webhook endpoints").
import { z } from "@hono/zod-openapi";
import { deliveryErrorText } from "../../domain/webhooks/delivery-errors.ts";
import { ACCOUNT_EVENTS } from "../../domain/webhooks/style/account.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import {
  type EndpointContext,
  findDelivery,
  listDeliveries,
  resendDelivery,
  resendFailedDeliveries,
  testWebhook,
} from "../../services/account-webhooks/deliveries.ts";
import { cursorField, cursorCodec } from "../cursors.ts";
import { renderDelivery, renderDeliveryDetail, storedStatuses } from "./render.ts";
import { action } from "../route.ts";
import { isoTime, limitUpTo, message, nextCursor, messageResult, uuid } from "../fields.ts";
import { Delivery, DeliveryDetail, deliveryStatus, TestResult } from "./schemas.ts";
import type { RequestContext } from "../request-context.ts";
import { webhookOf } from "./endpoints.ts";
import { DAY_MS } from "../../protocol/units.ts";

/** History is kept so long (docs/delivery.md, "Retention and bounds"). */
const DELIVERY_RETENTION_MS = 7 * DAY_MS;

const cursors = cursorCodec(z.object({ at: z.number().int(), instance: z.string().max(64), place: z.number().int() }));
const webhookId = z.string().max(64).openapi({ format: "uuid" });
const deliveryId = z.string().max(64).openapi({ example: "msg_0123456789abcdef0123456789abcdef" });

export const deliveryRoutes = [
  action({
    method: "post",
    path: "/webhooks/{webhookId}/test",
    tag: "webhooks",
    scope: "manage",
    summary: "Sends a signed test event now, once",
    params: z.object({ webhookId }),
    act: async (context, { params }) => {
      const asking = await askingAbout(context, params.webhookId);
      return asking.ok ? testWebhook(asking.value) : asking;
    },
    response: z.object({ data: TestResult }),
    render: (tested) => ({ data: { ...tested, error: deliveryErrorText(tested.error) } }),
  }),
  action({
    method: "get",
    path: "/webhooks/{webhookId}/deliveries",
    tag: "webhooks",
    scope: "read",
    summary: "Deliveries of the last 7 days, newest first",
    params: z.object({ webhookId }),
    query: z.object({
      status: deliveryStatus.optional(),
      event: z.enum([...ACCOUNT_EVENTS]).optional(),
      instance_id: uuid.optional(),
      limit: limitUpTo(100),
      cursor: cursorField(cursors),
    }),
    act: async (context, { params, query }) => {
      const asking = await askingAbout(context, params.webhookId);
      if (!asking.ok) return asking;
      const { status, event = null, instance_id: instance = null, limit, cursor = null } = query;
      const wanted = { status: status === undefined ? null : storedStatuses(status), event, instance, limit, after: cursor };
      const page = await listDeliveries(asking.value, wanted);
      if (!page.ok) return page;
      const { items, next } = page.value;
      return { ok: true, value: { data: items.map(renderDelivery), next_cursor: next === null ? null : cursors.write(next) } };
    },
    response: z.object({ data: z.array(Delivery), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  action({
    method: "get",
    path: "/webhooks/{webhookId}/deliveries/{deliveryId}",
    tag: "webhooks",
    scope: "read",
    noStore: true,
    summary: "One delivery, with the bytes that are sent and every attempt",
    params: z.object({ webhookId, deliveryId }),
    act: async (context, { params }) => {
      const asking = await askingAbout(context, params.webhookId);
      if (!asking.ok) return asking;
      const found = await findDelivery(asking.value, params.deliveryId);
      return found.ok ? { ok: true, value: renderDeliveryDetail(found.value) } : found;
    },
    response: z.object({ data: DeliveryDetail }),
    render: (data) => ({ data }),
  }),
  action({
    method: "post",
    path: "/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
    tag: "webhooks",
    scope: "manage",
    summary: "Sends a delivery again, under the same id",
    params: z.object({ webhookId, deliveryId }),
    act: async (context, { params }) => {
      const asking = await askingAbout(context, params.webhookId);
      if (!asking.ok) return asking;
      const resent = await resendDelivery(asking.value, params.deliveryId);
      return resent.ok ? { ok: true, value: {} } : resent;
    },
    response: message,
    render: messageResult("The delivery is being sent again, with the same id."),
  }),
  action({
    method: "post",
    path: "/webhooks/{webhookId}/resend",
    tag: "webhooks",
    scope: "manage",
    status: 202,
    summary: "Sends every failed delivery of a span of time again",
    params: z.object({ webhookId }),
    body: z.strictObject({ since: isoTime, until: isoTime.nullish(), status: z.literal("failed").nullish() }),
    act: async (context, { params, body }) => {
      if (body.since < context.now - DELIVERY_RETENTION_MS) {
        return fail("validation_error", { issues: [{ field: "since", issue: "deliveries are kept for 7 days" }] });
      }
      const asking = await askingAbout(context, params.webhookId);
      if (!asking.ok) return asking;
      const wanted = await resendFailedDeliveries(asking.value, body.since, body.until ?? null);
      return wanted.ok ? { ok: true, value: { count: wanted.value } } : wanted;
    },
    response: message,
    render: ({ count }) => ({ message: `${count} ${count === 1 ? "delivery is" : "deliveries are"} being sent again, with the same ids.` }),
  }),
];

async function askingAbout(context: RequestContext, id: string): Promise<Outcome<EndpointContext>> {
  const found = await webhookOf(context, id);
  if (!found.ok) return found;
  const { c, subject } = context;
  return { ok: true, value: { env: c.env, webhook: found.value, asker: { subject, requestId: c.var.requestId } } };
}
