// The connection's own webhook (docs/internals/delivery.md, "Disabling a webhook").
import { fieldIssue } from "@gateway/domain/failures/field-problems.ts";
import { CONNECTION_EVENTS, DEFAULT_CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { CONNECTION_STYLE } from "@gateway/domain/webhooks/style/connection.ts";
import { makeWebhookSecret } from "@gateway/domain/webhooks/signature.ts";
import { disablesAt } from "@gateway/domain/webhooks/delivery.ts";
import { checkOutgoingUrl } from "@gateway/domain/egress/outgoing-url.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationOutput, OperationName } from "@gateway/protocol/operations.ts";
import { signedHeaders } from "./attempt.ts";
import { EndpointDeliveries, type EndpointDependencies } from "./endpoint-deliveries.ts";
import type { Endpoint } from "./endpoints.ts";
import { ROTATION_OVERLAP_MS } from "./secrets.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import type { HandlersOf } from "../handlers.ts";

type WebhookFacts = OperationOutput<"webhook.get">;
type SignedDelivery = OperationOutput<"webhook.signed">;

type PutWebhook = OperationOutput<"webhook.put">;

type EmptyOutput = OperationOutput<"webhook.delete">;

export const CONNECTION_WEBHOOK = "webhook";
const TIMEOUT_MS = 10_000;
/** Maximum number of secrets. A further rotation is rejected, because more signatures might exceed a receiver's header limit. */
const MAX_SECRETS = 10;

const NOT_FOUND: Outcome<never> = fail("webhook_not_found");

export class ConnectionWebhook {
  readonly deliveries: EndpointDeliveries;
  readonly #host: DeliveryHost;
  readonly #deps: EndpointDependencies;

  constructor(host: DeliveryHost, deps: EndpointDependencies) {
    this.#host = host;
    this.#deps = deps;
    this.deliveries = new EndpointDeliveries(host, deps, "connection");
  }

  endpoint(): Endpoint | null {
    return this.#deps.endpoints.find("connection", CONNECTION_WEBHOOK);
  }

  /** When the current failures began (Unix ms). Null if the webhook works, is disabled, or does not exist. */
  failingSince(): number | null {
    const endpoint = this.endpoint();
    return endpoint === null || endpoint.disabledAt !== null ? null : endpoint.health.firstFailedAt;
  }

  get(): Outcome<WebhookFacts> {
    const endpoint = this.endpoint();
    return endpoint === null ? NOT_FOUND : succeed(this.#factsOf(endpoint));
  }

  /** With null `events`, a new webhook gets the defaults, and an existing one keeps its own. Only creation returns the secret. */
  put(url: string, requestedEvents: readonly string[] | null): Outcome<PutWebhook> {
    const allowed = checkOutgoingUrl(url, this.#host.policy);
    if (!allowed.ok) return allowed;
    const events = requestedEvents === null ? null : [...new Set(requestedEvents)];
    const refusal = events === null ? null : refusalOf(events);
    if (refusal !== null) return fail(refusal);
    if (this.endpoint() !== null) return this.#change(url, events);
    const secret = makeWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
    const sealed = this.#deps.secrets.seal(secret);
    const now = this.#host.clock();
    const settings = {
      url,
      events: events ?? DEFAULT_CONNECTION_EVENTS,
      headers: {},
      retries: CONNECTION_STYLE.delaysS.length,
      timeoutMs: TIMEOUT_MS,
      active: true,
    };
    const { endpoints, secrets } = this.#deps;
    // Stores the webhook and its secret together or not at all. If only the webhook were stored, no later call could return a secret.
    try {
      const facts = this.#host.transact(() => {
        const endpoint = endpoints.add("connection", CONNECTION_WEBHOOK, settings, now);
        secrets.add(endpoint.queueId, sealed, now, null);
        return this.#factsOf(endpoints.setOffered(endpoint, CONNECTION_EVENTS));
      });
      return succeed({ ...facts, created: true, secret });
    } catch (error) {
      const added = this.endpoint();
      if (added !== null) for (const store of [endpoints, secrets]) store.rolledBack(added.queueId);
      throw error;
    }
  }

  delete(): Outcome<EmptyOutput> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    this.#deps.endpoints.remove(endpoint);
    this.#deps.secrets.removeAll(endpoint.queueId);
    this.#deps.dispatcher.cancelAttempts(endpoint.queueId);
    this.#host.rearm();
    return succeed({});
  }

  rotate(): Outcome<{ secret: string }> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const now = this.#host.clock();
    const valid = this.#deps.secrets.valid(endpoint.queueId, now);
    if (valid.length >= MAX_SECRETS) {
      const first = Math.min(...valid.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
      return fail("rate_limited", { retryAfter: Math.max(1, Math.ceil((first - now) / 1_000)) });
    }
    const secret = makeWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
    this.#deps.secrets.add(endpoint.queueId, this.#deps.secrets.seal(secret), now, now + ROTATION_OVERLAP_MS);
    this.#host.rearm();
    return succeed({ secret });
  }

  /** Requires a test event to have been accepted since the webhook was disabled (docs/internals/delivery.md, "Disabling a webhook"). */
  reactivate(): Outcome<WebhookFacts> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    if (endpoint.disabledAt === null) return succeed(this.#factsOf(endpoint));
    if (!mayReactivate(endpoint)) return fail("test_first");
    const active = this.#deps.endpoints.reactivate(endpoint);
    this.#host.rearm();
    return succeed(this.#factsOf(active));
  }

  /** Returns the delivery's body with freshly signed headers. They are signed here, so that the secret never leaves the object. */
  async signed(id: string): Promise<Outcome<SignedDelivery>> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const now = this.#host.clock();
    const found = this.#deps.history.find(endpoint, id, now);
    if (!found.ok) return found;
    const { request_body: body } = found.value;
    if (body === null) return fail("delivery_not_found");
    const { signing } = CONNECTION_STYLE;
    const keys = this.#deps.secrets.keys(endpoint.queueId, signing, now);
    const headers = await signedHeaders({ id, headers: endpoint.headers, body, signing, keys }, now);
    return succeed({ headers, body });
  }

  #change(url: string, events: readonly string[] | null): Outcome<PutWebhook> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const { endpoints } = this.#deps;
    const stored = endpoints.change(endpoint, { ...endpoint, url, events: events ?? endpoint.events });
    const changed = events === null ? stored : endpoints.setOffered(stored, CONNECTION_EVENTS);
    if (changed.url !== endpoint.url) {
      this.#deps.dispatcher.cancelAttempts(endpoint.queueId);
      this.#deps.slots.invalidate(endpoint.queueId);
    }
    return succeed({ ...this.#factsOf(changed), created: false, secret: null });
  }

  #factsOf(endpoint: Endpoint): WebhookFacts {
    const { url, events, disabledAt, health, createdAt, queueId, offered } = endpoint;
    const now = this.#host.clock();
    const until = this.#deps.secrets.valid(queueId, now).flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
    return {
      url,
      events: [...events],
      status: disabledAt === null ? "active" : "disabled",
      disabled_at: disabledAt,
      last_success_at: Math.max(health.lastSuccessAt ?? 0, this.#deps.history.lastAccepted(endpoint) ?? 0) || null,
      created_at: createdAt,
      failing_since: health.firstFailedAt,
      disables_at: disabledAt === null ? disablesAt(health, CONNECTION_STYLE.disableAfterMs, now) : null,
      previous_secret_until: until.length === 0 ? null : Math.max(...until),
      can_reactivate: mayReactivate(endpoint),
      new_events: CONNECTION_EVENTS.filter((type) => !offered.includes(type) && !events.includes(type)),
    };
  }
}

function mayReactivate({ disabledAt, testedAt }: Endpoint): boolean {
  return disabledAt !== null && testedAt !== null && testedAt > disabledAt;
}

function refusalOf(events: readonly string[]): Failure | null {
  const known: readonly string[] = CONNECTION_EVENTS;
  const issues = events.flatMap((type, index) => (known.includes(type) ? [] : [fieldIssue(`events[${index}]`, "unknown_event")]));
  if (events.length === 0) issues.push(fieldIssue("events", "empty_events"));
  return issues.length === 0 ? null : { code: "validation_error", issues };
}

type WebhookOperation = Extract<OperationName, `webhook.${string}`>;

export function webhookHandlers(webhook: ConnectionWebhook): HandlersOf<WebhookOperation> {
  return {
    "webhook.get": () => webhook.get(),
    "webhook.put": ({ url, events }) => webhook.put(url, events),
    "webhook.delete": () => webhook.delete(),
    "webhook.test": () => webhook.deliveries.test(CONNECTION_WEBHOOK),
    "webhook.rotate": () => webhook.rotate(),
    "webhook.reactivate": () => webhook.reactivate(),
    "webhook.deliveries": (query) => webhook.deliveries.page(CONNECTION_WEBHOOK, query),
    "webhook.signed": ({ id }) => webhook.signed(id),
    "webhook.delivery": ({ id }) => webhook.deliveries.find(CONNECTION_WEBHOOK, id),
    "webhook.resend": ({ id }) => webhook.deliveries.resend(CONNECTION_WEBHOOK, id),
    "webhook.resend_failed": ({ since }) => webhook.deliveries.resendFailed(CONNECTION_WEBHOOK, since, null),
  };
}
