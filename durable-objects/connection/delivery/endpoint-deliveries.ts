// Tests an endpoint, and lists and resends its deliveries, for both APIs (docs/internals/delivery.md, "Test and resend").
import type { WebhookStyle } from "@gateway/domain/webhooks/style/style.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { DeliveryDetail } from "@gateway/protocol/records.ts";
import type { Deadlines } from "./deadlines.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Endpoint, Endpoints } from "./endpoints.ts";
import type { History, HistoryPage, HistoryQuery } from "./history.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import { sendTest, type WebhookTestResult } from "./test-event.ts";
import type { Resends } from "./resends.ts";
import type { Secrets } from "./secrets.ts";

export type EndpointDependencies = {
  endpoints: Endpoints;
  secrets: Secrets;
  slots: AttemptSlots;
  history: History;
  resends: Resends;
  deadlines: Deadlines;
  dispatcher: Dispatcher;
};

/** All calls may fail with `webhook_not_found`, and resends also with `webhook_inactive` or `test_first`. */
export class EndpointDeliveries {
  readonly #host: DeliveryHost;
  readonly #deps: EndpointDependencies;
  readonly #style: WebhookStyle["name"];

  constructor(host: DeliveryHost, deps: EndpointDependencies, style: WebhookStyle["name"]) {
    this.#host = host;
    this.#deps = deps;
    this.#style = style;
  }

  async test(id: string): Promise<Outcome<WebhookTestResult>> {
    const endpoint = this.#find(id);
    if (!endpoint.ok) return endpoint;
    const { queueId, url } = endpoint.value;
    const result = await sendTest(endpoint.value, this.#deps, this.#host);
    const current = this.#deps.endpoints.find(this.#style, id);
    if (result.error === null && current?.queueId === queueId && current.url === url) {
      this.#deps.endpoints.setTested(current, this.#host.clock());
    }
    return succeed(result);
  }

  async page(id: string, query: HistoryQuery): Promise<Outcome<HistoryPage>> {
    const endpoint = this.#find(id);
    return endpoint.ok ? succeed(await this.#deps.history.page(endpoint.value, query, this.#host.clock())) : endpoint;
  }

  find(id: string, deliveryId: string): Outcome<DeliveryDetail> {
    const endpoint = this.#find(id);
    return endpoint.ok ? this.#deps.history.find(endpoint.value, deliveryId, this.#host.clock()) : endpoint;
  }

  resend(id: string, deliveryId: string): Outcome<Record<string, never>> {
    const endpoint = this.#findActive(id);
    if (!endpoint.ok) return endpoint;
    const resent = this.#deps.resends.resend(endpoint.value, deliveryId, this.#host.clock());
    this.#deps.dispatcher.dispatch();
    this.#host.rearm();
    return resent;
  }

  /** Resends all deliveries in this time span (Unix ms) that failed or were skipped. If `until` is null, the span ends now. */
  async resendFailed(id: string, since: number, until: number | null): Promise<Outcome<{ count: number }>> {
    const endpoint = this.#findActive(id);
    if (!endpoint.ok) return endpoint;
    const resending = await this.#deps.resends.resendFailed(endpoint.value, since, until ?? this.#host.clock());
    this.#host.rearm();
    return resending;
  }

  #find(id: string): Outcome<Endpoint> {
    const endpoint = this.#deps.endpoints.find(this.#style, id);
    return endpoint === null ? fail("webhook_not_found") : succeed(endpoint);
  }

  /** Accepts an endpoint that was disabled after failures. `Resends` refuses it with `test_first`, which says how to enable it. */
  #findActive(id: string): Outcome<Endpoint> {
    const endpoint = this.#find(id);
    return !endpoint.ok || endpoint.value.active ? endpoint : fail("webhook_inactive");
  }
}
