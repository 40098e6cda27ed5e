import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { deliveryErrorText } from "@gateway/domain/webhooks/delivery.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import {
  type EndpointContext,
  findDelivery,
  listDeliveries,
  resendDelivery,
  resendFailedDeliveries,
  testWebhook,
} from "#root/src/services/account-webhooks/deliveries.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { mayReadEvent } from "../events/account/event-access.ts";
import { renderDelivery, renderDeliveryDetail, storedStatuses, Delivery, DeliveryDetail, deliveryStatus, TestResult } from "./view.ts";
import { route } from "../route.ts";
import { deliveryId, isoTime, limitUpTo, message, nextCursor, messageResult, uuid, webhookId } from "../account/fields.ts";
import type { AccountContext } from "../context.ts";
import { webhookOf } from "./endpoints.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const DELIVERY_RETENTION_MS = 7 * DAY_MS;

const cursors = cursorCodec(z.object({ at: z.number().int(), instance: z.string().max(64), place: z.number().int() }));

export const deliveryRoutes = [
  route({
    name: "testWebhook",
    effect: "change",
    method: "post",
    path: "/webhooks/{webhookId}/test",
    scope: "manage",
    summary: documented({ en: "Sends a signed test event now, once", pt: "Envia agora, uma vez, um evento de teste assinado" }),
    description: documented({
      en: "The event is `webhook.test`, for the endpoint's instance or the account's first one. The gateway does not store it.",
      pt: "O evento é `webhook.test`, da instância do endpoint ou da primeira da conta. O gateway não guarda nada dele.",
    }),
    failures: ["webhook_not_found", "instance_not_found"],
    params: z.object({ webhookId }),
    run: async (context, { params }) => {
      const request = await webhookRequest(context, params.webhookId);
      return request.ok ? testWebhook(request.value) : request;
    },
    response: z.object({ data: TestResult }),
    render: (tested) => ({ data: { ...tested, error: deliveryErrorText(tested.error) } }),
  }),
  route({
    name: "listDeliveries",
    effect: "read",
    method: "get",
    path: "/webhooks/{webhookId}/deliveries",
    scope: "read",
    summary: documented({
      en: "Deliveries of the last 7 days, newest first",
      pt: "Entregas dos últimos 7 dias, da mais recente à mais antiga",
    }),
    description: documented({
      en: "In an account with more than 200 instances, the call asks those with recent failures and the 200 newest. The header `Instances-Asked` says how many of the total. With `instance_id` you can ask any instance.",
      pt: "Em uma conta com mais de 200 instâncias, a chamada consulta as que tiveram falhas há pouco e as 200 mais novas. O cabeçalho `Instances-Asked` diz quantas do total. Com `instance_id` você consulta qualquer uma.",
    }),
    failures: ["webhook_not_found"],
    params: z.object({ webhookId }),
    query: z.object({
      status: deliveryStatus.optional(),
      event: z.enum([...ACCOUNT_EVENTS]).optional(),
      instance_id: uuid.optional(),
      limit: limitUpTo(100),
      cursor: cursorField(cursors),
    }),
    run: async (context, { params, query }) => {
      const request = await webhookRequest(context, params.webhookId);
      if (!request.ok) return request;
      const { status, event = null, instance_id: instance = null, limit, cursor = null } = query;
      const filters = { status: status === undefined ? null : storedStatuses(status), event, instance, limit, after: cursor };
      const page = await listDeliveries(request.value, filters);
      if (!page.ok) return page;
      const { items, next, asked, unasked } = page.value;
      const shown = { data: items.map(renderDelivery), next_cursor: next === null ? null : cursors.write(next) };
      return { ok: true, value: { shown, asked, unasked } };
    },
    response: z.object({ data: z.array(Delivery), next_cursor: nextCursor }),
    render: ({ shown, asked, unasked }, { c }) => {
      if (unasked > 0) c.header("Instances-Asked", `${asked}/${asked + unasked}`);
      return shown;
    },
  }),
  route({
    name: "getDelivery",
    effect: "read",
    method: "get",
    path: "/webhooks/{webhookId}/deliveries/{deliveryId}",
    scope: "read",
    noStore: true,
    summary: documented({
      en: "One delivery, with its body and every attempt",
      pt: "Uma entrega, com o corpo e cada tentativa",
    }),
    failures: ["webhook_not_found", "delivery_not_found"],
    params: z.object({ webhookId, deliveryId }),
    run: async (context, { params }) => {
      const request = await webhookRequest(context, params.webhookId);
      if (!request.ok) return request;
      const found = await findDelivery(request.value, params.deliveryId);
      return found.ok ? { ok: true, value: renderDeliveryDetail(found.value, mayReadEvent(context, found.value.event)) } : found;
    },
    response: z.object({ data: DeliveryDetail }),
    render: (data) => ({ data }),
  }),
  route({
    name: "resendDelivery",
    effect: "change",
    method: "post",
    path: "/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
    scope: "manage",
    summary: documented({ en: "Resends a delivery under the same id", pt: "Reenvia uma entrega com o mesmo id" }),
    failures: ["webhook_not_found", "delivery_not_found", "webhook_inactive"],
    params: z.object({ webhookId, deliveryId }),
    run: async (context, { params }) => {
      const request = await webhookRequest(context, params.webhookId);
      if (!request.ok) return request;
      const resent = await resendDelivery(request.value, params.deliveryId);
      return resent.ok ? { ok: true, value: {} } : resent;
    },
    ...messageResult("The delivery is being sent again, with the same id."),
  }),
  route({
    name: "resendFailedDeliveries",
    effect: "change",
    method: "post",
    path: "/webhooks/{webhookId}/resend",
    scope: "manage",
    status: 202,
    summary: documented({
      en: "Resends every failed delivery of a period",
      pt: "Reenvia todas as entregas que falharam em um período",
    }),
    failures: ["webhook_not_found", "webhook_inactive"],
    example: { body: { since: "2026-11-20T12:00:00Z" } },
    params: z.object({ webhookId }),
    body: z.strictObject({ since: isoTime, until: isoTime.nullish(), status: z.literal("failed").nullish() }),
    run: async (context, { params, body }) => {
      if (body.since < context.now - DELIVERY_RETENTION_MS) {
        return invalidField("since", "old_deliveries");
      }
      const request = await webhookRequest(context, params.webhookId);
      if (!request.ok) return request;
      const resent = await resendFailedDeliveries(request.value, body.since, body.until ?? null);
      return resent.ok ? { ok: true, value: { count: resent.value } } : resent;
    },
    response: message,
    render: ({ count }) => ({ message: `${count} ${count === 1 ? "delivery is" : "deliveries are"} being sent again, with the same ids.` }),
  }),
];

async function webhookRequest(context: AccountContext, id: string): Promise<Outcome<EndpointContext>> {
  const found = await webhookOf(context, id);
  if (!found.ok) return found;
  const { c, subject } = context;
  return { ok: true, value: { env: c.env, webhook: found.value, caller: { subject, requestId: c.get("requestId") } } };
}
