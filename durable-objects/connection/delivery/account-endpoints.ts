// Copies of the Account API's endpoints, whose originals are in D1. A change is pushed to these copies before the caller gets a response.
import type { AccountEndpoint } from "@gateway/protocol/connection.ts";
import { succeed } from "@gateway/protocol/failures.ts";
import type { OperationName } from "@gateway/protocol/operations.ts";
import { EndpointDeliveries, type EndpointDependencies } from "./endpoint-deliveries.ts";
import type { Endpoint, EndpointSettings } from "./endpoints.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import type { HandlersOf } from "../handlers.ts";

/** `sealed` is the new secret. Null means no secret, and undefined means unchanged. */
type SealedEndpoint = AccountEndpoint & { sealed: Uint8Array | null | undefined };

export class AccountEndpoints {
  readonly deliveries: EndpointDeliveries;
  readonly #host: DeliveryHost;
  readonly #deps: EndpointDependencies;
  #revision: number;

  constructor(host: DeliveryHost, deps: EndpointDependencies) {
    this.#host = host;
    this.#deps = deps;
    this.deliveries = new EndpointDeliveries(host, deps, "account");
    this.#revision = host.sql.exec<{ revision: number }>("SELECT revision FROM account_endpoints").toArray()[0]?.revision ?? 0;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Replaces all endpoints. Ignores an older `revision`, because pushes may arrive out of order. */
  replace(pushed: readonly AccountEndpoint[], revision: number = this.#revision + 1): void {
    if (revision >= this.#revision) this.#store(pushed, revision);
  }

  /** Applies endpoints read from D1 unless a push has arrived since revision `known`. A restored D1 has an older `revision`. */
  reread(read: readonly AccountEndpoint[], revision: number, known: number): void {
    if (this.#revision === known) this.#store(read, revision);
  }

  #store(pushed: readonly AccountEndpoint[], revision: number): void {
    const sealed = pushed.map((endpoint) => this.#seal(endpoint));
    this.#revision = revision;
    this.#host.sql.exec("INSERT OR REPLACE INTO account_endpoints (one, revision) VALUES (1, ?)", revision);
    const now = this.#host.clock();
    const ids = new Set(sealed.map(({ id }) => id));
    for (const endpoint of this.#deps.endpoints.ofStyle("account")) if (!ids.has(endpoint.id)) this.#remove(endpoint);
    for (const endpoint of sealed) this.#put(endpoint, now);
    this.#host.rearm();
  }

  #seal(endpoint: AccountEndpoint): SealedEndpoint {
    const { endpoints, secrets } = this.#deps;
    const secret = endpoint.secret ?? "";
    const known = endpoints.find("account", endpoint.id);
    if (known !== null && secrets.isOnly(known.queueId, secret)) return { ...endpoint, sealed: undefined };
    return { ...endpoint, sealed: secret === "" ? null : secrets.seal(secret) };
  }

  /** Writes only what has changed, because a push contains all endpoints and goes to all of the account's objects. */
  #put(pushed: SealedEndpoint, now: number): void {
    const settings: EndpointSettings = {
      url: pushed.url,
      events: pushed.events,
      headers: pushed.headers,
      retries: pushed.retry_count,
      timeoutMs: pushed.timeout_ms,
      active: pushed.is_active,
    };
    const { endpoints, secrets } = this.#deps;
    const known = endpoints.find("account", pushed.id);
    const { queueId } = known ?? endpoints.add("account", pushed.id, settings, now);
    if (pushed.sealed === null) secrets.removeAll(queueId);
    else if (pushed.sealed !== undefined) secrets.add(queueId, pushed.sealed, now, null);
    if (known === null || textOf(known) === textOf(settings)) return;
    endpoints.change(known, settings);
    if (known.url !== settings.url || !settings.active) this.#deps.dispatcher.cancelAttempts(queueId);
    this.#deps.slots.invalidate(queueId);
  }

  #remove(endpoint: Endpoint): void {
    this.#deps.endpoints.remove(endpoint);
    this.#deps.secrets.removeAll(endpoint.queueId);
    this.#deps.dispatcher.cancelAttempts(endpoint.queueId);
  }
}

function textOf({ url, events, headers, retries, timeoutMs, active }: EndpointSettings): string {
  return JSON.stringify([url, events, headers, retries, timeoutMs, active]);
}

type EndpointOperation = Extract<OperationName, `endpoints.${string}`>;

export function endpointHandlers({ deliveries }: AccountEndpoints): HandlersOf<EndpointOperation> {
  return {
    "endpoints.test": async ({ endpoint_id }) => {
      const tested = await deliveries.test(endpoint_id);
      if (!tested.ok) return tested;
      // Omits the request and response, because they may contain the customer's own headers.
      const { request: _request, response: _response, ...result } = tested.value;
      return succeed(result);
    },
    "endpoints.deliveries": ({ endpoint_id, ...query }) => deliveries.page(endpoint_id, query),
    "endpoints.delivery": ({ endpoint_id, id }) => deliveries.find(endpoint_id, id),
    "endpoints.resend": ({ endpoint_id, id }) => deliveries.resend(endpoint_id, id),
    "endpoints.resend_failed": ({ endpoint_id, since, until }) => deliveries.resendFailed(endpoint_id, since, until),
  };
}
