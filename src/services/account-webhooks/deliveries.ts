// The deliveries of an account's endpoint lie in the objects of the connections that it concerns: one for a scoped endpoint, all of
// the account's for a global one. They are gathered when somebody looks; nothing is written to D1 for a delivery.
import { couldBeDeliveryOf } from "../../domain/webhooks/delivery-id.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "../../protocol/operations.ts";
import type { DeliveryDetail, DeliveryRecord } from "../../protocol/records.ts";
import { type OperationCaller, callOperation } from "../connections/call.ts";
import { ownedConnections } from "../connections/access.ts";
import type { AccountWebhook } from "./find.ts";

/** Objects asked at once. */
const CALL_CONCURRENCY = 20;

/** `instance`: the UUID of the connection that delivers it. */
export type WithConnection<T> = T & { instance: string };

/** The last delivery of a page; the next page begins below it. */
export type DeliveryPlace = { at: number; instance: string; place: number };

export type DeliveriesQuery = {
  status: readonly DeliveryRecord["status"][] | null;
  event: string | null;
  /** Only those of this connection (UUID). */
  instance: string | null;
  limit: number;
  after: DeliveryPlace | null;
};

export type EndpointContext = { env: Env; webhook: AccountWebhook; asker: Omit<OperationCaller, "mutating" | "role"> };

type EndpointOperation = Extract<OperationName, `endpoints.${string}`>;

/** Newest first; of one moment, by connection and then by the order in which they were stored. */
export async function listDeliveries(
  asking: EndpointContext,
  { status, event, instance, limit, after }: DeliveriesQuery,
): Promise<Outcome<{ items: WithConnection<DeliveryRecord>[]; next: DeliveryPlace | null }>> {
  const holders = (await connectionsOf(asking)).filter((uuid) => instance === null || uuid === instance);
  const pages = await callEach(asking, holders, "endpoints.deliveries", false, (uuid) => ({
    endpoint_id: asking.webhook.id,
    status: status === null ? null : [...status],
    event,
    limit,
    before: belowFor(uuid, after),
  }));
  if (!pages.ok) return pages;
  const items = pages.value
    .flatMap(({ instance, value }) => value.items.map((item) => ({ ...item, instance })))
    .toSorted((a, b) => b.created_at - a.created_at || (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : b.place - a.place));
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const more = items.length > limit || pages.value.some(({ value }) => value.more);
  return {
    ok: true,
    value: {
      items: shown.map(({ place: _place, ...item }) => item),
      next: more && last !== undefined ? { at: last.created_at, instance: last.instance, place: last.place } : null,
    },
  };
}

/** Fails `delivery_not_found`. */
export async function findDelivery(asking: EndpointContext, id: string): Promise<Outcome<WithConnection<DeliveryDetail>>> {
  for (const instance of await possibleConnectionsOf(asking, id)) {
    const found = await callOne(asking, instance, "endpoints.delivery", false, { endpoint_id: asking.webhook.id, id });
    if (found.ok) return { ok: true, value: { ...found.value, instance } };
    if (!isAbsent(found.failure.code)) return found;
  }
  return NOT_FOUND;
}

/** Fails `delivery_not_found`, `webhook_inactive`. */
export async function resendDelivery(asking: EndpointContext, id: string): Promise<Outcome<null>> {
  for (const instance of await possibleConnectionsOf(asking, id)) {
    const resent = await callOne(asking, instance, "endpoints.resend", true, { endpoint_id: asking.webhook.id, id });
    if (resent.ok) return { ok: true, value: null };
    if (!isAbsent(resent.failure.code)) return resent;
  }
  return NOT_FOUND;
}

/** All that failed in that span (Unix ms); answers how many. Fails `webhook_inactive`. */
export async function resendFailedDeliveries(asking: EndpointContext, since: number, until: number | null): Promise<Outcome<number>> {
  const holders = await connectionsOf(asking);
  const input = { endpoint_id: asking.webhook.id, since, until };
  const counts = await callEach(asking, holders, "endpoints.resend_failed", true, () => input);
  return counts.ok ? { ok: true, value: counts.value.reduce((sum, { value }) => sum + value.count, 0) } : counts;
}

/** One signed test event, sent by one of the connections. Fails `instance_not_found` for an account without any. */
export async function testWebhook(asking: EndpointContext): Promise<Outcome<OperationOutput<"endpoints.test">>> {
  const [first] = await connectionsOf(asking);
  if (first === undefined) return fail("instance_not_found");
  return callOne(asking, first, "endpoints.test", true, { endpoint_id: asking.webhook.id });
}

const NOT_FOUND: Outcome<never> = fail("delivery_not_found");

/** An object that has not heard of the endpoint has no deliveries of it. */
function isAbsent(code: string): boolean {
  return code === "delivery_not_found" || code === "webhook_not_found";
}

async function connectionsOf({ env, webhook }: EndpointContext): Promise<string[]> {
  return webhook.instanceId === null ? ownedConnections(env.DB, webhook.userId) : [webhook.instanceId];
}

async function possibleConnectionsOf(asking: EndpointContext, id: string): Promise<string[]> {
  return (await connectionsOf(asking)).filter((uuid) => couldBeDeliveryOf(uuid, id));
}

/** Where the page begins in one object, so that together the pages are what follows the place. */
function belowFor(uuid: string, after: DeliveryPlace | null): OperationInput<"endpoints.deliveries">["before"] {
  if (after === null) return null;
  if (uuid === after.instance) return { place: after.place };
  return { at: after.at, inclusive: uuid > after.instance };
}

function callOne<N extends EndpointOperation>(
  { env, asker }: EndpointContext,
  uuid: string,
  operation: N,
  mutating: boolean,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  return callOperation(env, uuid, { ...asker, role: "owner", mutating }, operation, input);
}

/** What each object says; one that cannot be asked fails it all, since a gap would look like the truth. */
async function callEach<N extends EndpointOperation>(
  asking: EndpointContext,
  uuids: readonly string[],
  operation: N,
  mutating: boolean,
  inputFor: (uuid: string) => OperationInput<N>,
): Promise<Outcome<{ instance: string; value: OperationOutput<N> }[]>> {
  const gathered: { instance: string; value: OperationOutput<N> }[] = [];
  for (let at = 0; at < uuids.length; at += CALL_CONCURRENCY) {
    const answers = await Promise.all(
      uuids
        .slice(at, at + CALL_CONCURRENCY)
        .map(async (instance) => ({ instance, outcome: await callOne(asking, instance, operation, mutating, inputFor(instance)) })),
    );
    for (const { instance, outcome } of answers) {
      if (outcome.ok) gathered.push({ instance, value: outcome.value });
      else if (!isAbsent(outcome.failure.code)) return outcome;
    }
  }
  return { ok: true, value: gathered };
}
