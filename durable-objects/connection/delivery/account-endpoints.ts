// Copies of the Account API's endpoints; D1 holds the originals. A change is pushed here before the caller gets a response.
import type { AccountEndpoint } from "@gateway/protocol/connection.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationOutput, OperationName } from "@gateway/protocol/operations.ts";
import type { DeliveryDetail } from "@gateway/protocol/records.ts";
import type { Endpoint, Endpoints, EndpointSettings } from "./endpoints.ts";
import type { History, HistoryPage, HistoryQuery } from "./history.ts";
import type { Deadlines } from "./attempt.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import type { Secrets } from "./secrets.ts";
import type { Resends } from "./resends.ts";
import { sendTest } from "./notices.ts";
import type { DeliveryHost } from "./host.ts";
import type { HandlersOf } from "../handlers.ts";

type SealedEndpoint = AccountEndpoint & { sealed: Uint8Array | null };

const INACTIVE: Outcome<never> = fail("webhook_inactive");
const NOT_FOUND: Outcome<never> = fail("webhook_not_found");

type Dependencies = {
  endpoints: Endpoints;
  secrets: Secrets;
  slots: AttemptSlots;
  history: History;
  resends: Resends;
  deadlines: Deadlines;
  dispatcher: Dispatcher;
};

export class AccountEndpoints {
  readonly #host: DeliveryHost;
  readonly #deps: Dependencies;
  #revision: number;

  constructor(host: DeliveryHost, deps: Dependencies) {
    this.#host = host;
    this.#deps = deps;
    this.#revision = host.sql.exec<{ revision: number }>("SELECT revision FROM account_endpoints").toArray()[0]?.revision ?? 0;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Replaces all endpoints; a missing one was removed. An older `revision` is ignored, because pushes may arrive out of order. */
  replace(pushed: readonly AccountEndpoint[], revision: number = this.#revision + 1): void {
    if (revision < this.#revision) return;
    const sealed = pushed.map((endpoint) => this.#seal(endpoint));
    this.#revision = revision;
    this.#host.sql.exec("INSERT OR REPLACE INTO account_endpoints (one, revision) VALUES (1, ?)", revision);
    const now = this.#host.clock();
    const ids = new Set(sealed.map(({ id }) => id));
    for (const endpoint of this.#deps.endpoints.ofStyle("account")) if (!ids.has(endpoint.id)) this.#remove(endpoint);
    for (const endpoint of sealed) this.#put(endpoint, now);
    this.#host.rearm();
  }

  async test(id: string): Promise<Outcome<OperationOutput<"endpoints.test">>> {
    const endpoint = this.#deps.endpoints.find("account", id);
    if (endpoint === null) return NOT_FOUND;
    // Omits the request and response, because they may contain the customer's own headers.
    const { request: _request, response: _response, ...answer } = await sendTest(endpoint, this.#deps, this.#host);
    const current = this.#deps.endpoints.find("account", id);
    if (answer.error === null && current?.queueId === endpoint.queueId && current.url === endpoint.url) {
      this.#deps.endpoints.setTested(current, this.#host.clock());
    }
    return succeed(answer);
  }

  async deliveries(id: string, query: HistoryQuery): Promise<Outcome<HistoryPage>> {
    const endpoint = this.#deps.endpoints.find("account", id);
    return endpoint === null ? NOT_FOUND : succeed(await this.#deps.history.page(endpoint, query, this.#host.clock()));
  }

  delivery(id: string, deliveryId: string): Outcome<DeliveryDetail> {
    const endpoint = this.#deps.endpoints.find("account", id);
    return endpoint === null ? NOT_FOUND : this.#deps.history.find(endpoint, deliveryId, this.#host.clock());
  }

  resend(id: string, deliveryId: string): Outcome<Record<string, never>> {
    const endpoint = this.#deps.endpoints.find("account", id);
    if (endpoint === null) return NOT_FOUND;
    if (!endpoint.active) return INACTIVE;
    const resent = this.#deps.resends.resend(endpoint, deliveryId, this.#host.clock());
    this.#deps.dispatcher.dispatch();
    this.#host.rearm();
    return resent;
  }

  /** Resends all deliveries in this time span (Unix ms) that failed or were skipped. */
  async resendFailed(id: string, since: number, until: number | null): Promise<Outcome<{ count: number }>> {
    const endpoint = this.#deps.endpoints.find("account", id);
    if (endpoint === null) return NOT_FOUND;
    if (!endpoint.active) return INACTIVE;
    const resending = await this.#deps.resends.resendFailed(endpoint, since, until ?? this.#host.clock());
    this.#host.rearm();
    return resending;
  }

  #seal(endpoint: AccountEndpoint): SealedEndpoint {
    const { secret } = endpoint;
    return { ...endpoint, sealed: secret === null || secret === "" ? null : this.#deps.secrets.seal(secret) };
  }

  #put(pushed: SealedEndpoint, now: number): void {
    const settings: EndpointSettings = {
      url: pushed.url,
      events: pushed.events,
      headers: pushed.headers,
      retries: pushed.retry_count,
      timeoutMs: pushed.timeout_ms,
      active: pushed.is_active,
    };
    const known = this.#deps.endpoints.find("account", pushed.id);
    const { queueId } =
      known === null ? this.#deps.endpoints.add("account", pushed.id, settings, now) : this.#deps.endpoints.change(known, settings);
    if (pushed.sealed === null) this.#deps.secrets.removeAll(queueId);
    else this.#deps.secrets.add(queueId, pushed.sealed, now, null);
    if (known === null) return;
    if (known.url !== settings.url || !settings.active) this.#deps.dispatcher.cancelAttempts(queueId);
    this.#deps.slots.invalidate(queueId);
  }

  #remove(endpoint: Endpoint): void {
    this.#deps.endpoints.remove(endpoint);
    this.#deps.secrets.removeAll(endpoint.queueId);
    this.#deps.dispatcher.cancelAttempts(endpoint.queueId);
  }
}

type EndpointOperation = Extract<OperationName, `endpoints.${string}`>;

export function endpointOperations(account: AccountEndpoints): HandlersOf<EndpointOperation> {
  return {
    "endpoints.test": ({ endpoint_id }) => account.test(endpoint_id),
    "endpoints.deliveries": ({ endpoint_id, ...query }) => account.deliveries(endpoint_id, query),
    "endpoints.delivery": ({ endpoint_id, id }) => account.delivery(endpoint_id, id),
    "endpoints.resend": ({ endpoint_id, id }) => account.resend(endpoint_id, id),
    "endpoints.resend_failed": ({ endpoint_id, since, until }) => account.resendFailed(endpoint_id, since, until),
  };
}
