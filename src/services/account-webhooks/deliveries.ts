// Collects an endpoint's deliveries on request. The connections' objects store them, and D1 stores none.
import { couldBeDeliveryOf } from "@gateway/domain/webhooks/delivery-ids.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { DeliveryDetail, DeliveryRecord } from "@gateway/protocol/records.ts";
import { callOperation } from "../connections/call.ts";
import { countOwned, firstOwned, ownedAmong, ownedConnections } from "../connections/access.ts";
import { accountGuardStub, type EndpointCaller, type ResendSpan } from "../accounts/guard.ts";
import { retried } from "../object-calls.ts";
import type { AccountWebhook } from "./find.ts";
import { batchesOf, mapAtMost } from "../batches.ts";

/** Only part of a larger account is queried, because each call is a subrequest and wakes an object. */
const MAX_ASKED = 200;
const CALL_CONCURRENCY = 20;
/** Objects called per invocation, which is limited to 1,000 subrequests. */
const SHARE = 850;
/** Maximum concurrent invocations, because the calling invocation may have at most six open connections. */
const SHARE_CONCURRENCY = 6;

export type WithConnection<T> = T & { instance: string };

export type DeliveryPlace = { at: number; instance: string; place: number };

export type DeliveriesQuery = {
  status: readonly DeliveryRecord["status"][] | null;
  event: string | null;
  instance: string | null;
  limit: number;
  after: DeliveryPlace | null;
};

/** `unasked` are connections that this page does not cover. */
export type DeliveriesPage = {
  items: WithConnection<DeliveryRecord>[];
  asked: number;
  unasked: number;
  next: DeliveryPlace | null;
};

export type EndpointContext = { env: Env; webhook: AccountWebhook; caller: EndpointCaller };

type EndpointOperation = Extract<OperationName, `endpoints.${string}`>;

/** Newest first. Ties are broken by connection, then by storage order. */
export async function listDeliveries(
  endpoint: EndpointContext,
  { status, event, instance, limit, after }: DeliveriesQuery,
): Promise<Outcome<DeliveriesPage>> {
  const { holders, unasked } = await holdersOf(endpoint, instance);
  const pages = await callEach(endpoint, holders, "endpoints.deliveries", false, (uuid) => ({
    endpoint_id: endpoint.webhook.id,
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
  return succeed({
    items: shown.map(({ place: _place, ...item }) => item),
    asked: holders.length,
    unasked,
    next: more && last !== undefined ? { at: last.created_at, instance: last.instance, place: last.place } : null,
  });
}

export async function findDelivery(endpoint: EndpointContext, id: string): Promise<Outcome<WithConnection<DeliveryDetail>>> {
  for (const instance of await possibleConnectionsOf(endpoint, id)) {
    const found = await callOne(endpoint, instance, "endpoints.delivery", false, { endpoint_id: endpoint.webhook.id, id });
    if (found.ok) return succeed({ ...found.value, instance });
    if (!isAbsent(found.failure.code)) return found;
  }
  return NOT_FOUND;
}

export async function resendDelivery(endpoint: EndpointContext, id: string): Promise<Outcome<null>> {
  for (const instance of await possibleConnectionsOf(endpoint, id)) {
    const resent = await callOne(endpoint, instance, "endpoints.resend", true, { endpoint_id: endpoint.webhook.id, id });
    if (resent.ok) return succeed(null);
    if (!isAbsent(resent.failure.code)) return resent;
  }
  return NOT_FOUND;
}

/** Returns how many are resent. Safe to repeat. For a large account, the AccountGuard resends them. Fails with `webhook_inactive`. */
export async function resendFailedDeliveries(endpoint: EndpointContext, since: number, until: number | null): Promise<Outcome<number>> {
  const { env, caller, webhook } = endpoint;
  const holders = await connectionsOf(endpoint);
  const span = { endpoint_id: webhook.id, since, until };
  if (holders.length <= MAX_ASKED) return resendOf(endpoint, holders, span);
  const ask = (share: string[]) => accountGuardStub(env, webhook.userId).resendFailed(caller, share, span);
  const counts = await mapAtMost([...batchesOf(holders, SHARE)], SHARE_CONCURRENCY, (share) => retried(() => ask(share)));
  return counts.find(({ ok }) => !ok) ?? succeed(sumOf(counts.map((count) => (count.ok ? count.value : 0))));
}

export async function resendOf(
  context: Pick<EndpointContext, "env" | "caller">,
  holders: readonly string[],
  span: ResendSpan,
): Promise<Outcome<number>> {
  const counts = await callEach(context, holders, "endpoints.resend_failed", true, () => span);
  return counts.ok ? succeed(sumOf(counts.value.map(({ value }) => value.count))) : counts;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** Sends one signed test event from one of the connections. Fails with `instance_not_found` for an account without connections. */
export async function testWebhook(endpoint: EndpointContext): Promise<Outcome<OperationOutput<"endpoints.test">>> {
  const { env, webhook } = endpoint;
  const first = webhook.instanceId ?? (await firstOwned(env.DB, webhook.userId));
  if (first === null) return fail("instance_not_found");
  return callOne(endpoint, first, "endpoints.test", true, { endpoint_id: webhook.id });
}

const NOT_FOUND: Outcome<never> = fail("delivery_not_found");

export function isAbsent(code: string): boolean {
  return code === "delivery_not_found" || code === "webhook_not_found";
}

async function connectionsOf({ env, webhook }: EndpointContext): Promise<string[]> {
  return webhook.instanceId === null ? ownedConnections(env.DB, webhook.userId) : [webhook.instanceId];
}

async function holdersOf(endpoint: EndpointContext, instance: string | null): Promise<{ holders: string[]; unasked: number }> {
  const { env, webhook } = endpoint;
  const { id, userId } = webhook;
  const { instanceId } = webhook;
  if (instanceId !== null) return { holders: instance === null || instance === instanceId ? [instanceId] : [], unasked: 0 };
  if (instance !== null) return { holders: await ownedAmong(env.DB, userId, [instance], 0), unasked: 0 };
  const owned = await countOwned(env.DB, userId);
  if (owned <= MAX_ASKED) return { holders: await ownedConnections(env.DB, userId), unasked: 0 };
  const failing = await retried(() => accountGuardStub(env, userId).failingConnections(id));
  const holders = await ownedAmong(env.DB, userId, failing, MAX_ASKED);
  return { holders, unasked: Math.max(0, owned - holders.length) };
}

async function possibleConnectionsOf(endpoint: EndpointContext, id: string): Promise<string[]> {
  return (await connectionsOf(endpoint)).filter((uuid) => couldBeDeliveryOf(uuid, id));
}

/** Returns this object's cursor for the page, so that the merged pages of all objects continue right after `after`. */
function belowFor(uuid: string, after: DeliveryPlace | null): OperationInput<"endpoints.deliveries">["before"] {
  if (after === null) return null;
  if (uuid === after.instance) return { place: after.place };
  return { at: after.at, inclusive: uuid > after.instance };
}

function callOne<N extends EndpointOperation>(
  { env, caller }: Pick<EndpointContext, "env" | "caller">,
  uuid: string,
  operation: N,
  mutating: boolean,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  return callOperation(env, uuid, { ...caller, role: "owner", mutating }, operation, input);
}

/** An unreachable object fails the whole call, because a page with a gap would look complete. */
async function callEach<N extends EndpointOperation>(
  context: Pick<EndpointContext, "env" | "caller">,
  uuids: readonly string[],
  operation: N,
  mutating: boolean,
  inputFor: (uuid: string) => OperationInput<N>,
): Promise<Outcome<{ instance: string; value: OperationOutput<N> }[]>> {
  const results: { instance: string; value: OperationOutput<N> }[] = [];
  for (const batch of batchesOf(uuids, CALL_CONCURRENCY)) {
    const answers = await Promise.all(
      batch.map(async (instance) => ({ instance, outcome: await callOne(context, instance, operation, mutating, inputFor(instance)) })),
    );
    for (const { instance, outcome } of answers) {
      if (outcome.ok) results.push({ instance, value: outcome.value });
      else if (!isAbsent(outcome.failure.code)) return outcome;
    }
  }
  return succeed(results);
}
