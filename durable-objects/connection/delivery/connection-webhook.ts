// The one webhook of the connection (docs/delivery.md, "Disabling a webhook").
import { CONNECTION_EVENTS, CONNECTION_STYLE, DEFAULT_CONNECTION_EVENTS } from "../../../src/domain/webhooks/style/connection.ts";
import { makeWebhookSecret } from "../../../src/domain/webhooks/signature.ts";
import { checkOutgoingUrl } from "../../../src/domain/egress/outgoing-url.ts";
import { fail, type Failure, type Outcome } from "../../../src/protocol/failures.ts";
import type { OperationOutput } from "../../../src/protocol/operations.ts";
import type { DeliveryDetail, DeliveryRecord } from "../../../src/protocol/records.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Parts } from "./parts.ts";
import { OVERLAP_MS } from "./secrets.ts";
import { sendTest, type TestAnswer } from "./test-event.ts";
import type { DeliveryWorld } from "./world.ts";

type Shown = OperationOutput<"webhook.get">;

type Nothing = OperationOutput<"webhook.delete">;

/** There is one, so it needs no name of its own. */
const ID = "webhook";
/** How long the receiver may take to answer (docs/delivery.md, "Attempts"). */
const TIMEOUT_MS = 10_000;
/** Every secret keeps its 24 hours, so rotating is what ends: more entries than these no receiver's header limit may like. */
const MOST_SECRETS = 10;

const NOT_FOUND: Outcome<never> = fail("webhook_not_found");

export class ConnectionWebhook {
  readonly #world: DeliveryWorld;
  readonly #parts: Parts;

  constructor(world: DeliveryWorld, parts: Parts) {
    this.#world = world;
    this.#parts = parts;
  }

  endpoint(): Endpoint | null {
    return this.#parts.endpoints.find("connection", ID);
  }

  get(): Outcome<Shown> {
    const endpoint = this.endpoint();
    return endpoint === null ? NOT_FOUND : { ok: true, value: recordOf(endpoint) };
  }

  /** `events` null: the default on creation, unchanged later. The secret is answered when it is made, and never again. */
  async put(url: string, wanted: readonly string[] | null): Promise<Outcome<Shown & { secret: string | null }>> {
    const allowed = checkOutgoingUrl(url, this.#world.policy);
    if (!allowed.ok) return allowed;
    const events = wanted === null ? null : [...new Set(wanted)];
    const refusal = events === null ? null : refusalOf(events);
    if (refusal !== null) return fail(refusal);
    if (this.endpoint() !== null) return this.#change(url, events);
    const secret = makeWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
    const sealed = await this.#parts.secrets.seal(secret);
    // Somebody else may have created it meanwhile; then this is a change, and its secret is the one that holds.
    if (this.endpoint() !== null) return this.#change(url, events);
    const now = this.#world.clock();
    const settings = {
      url,
      events: events ?? DEFAULT_CONNECTION_EVENTS,
      headers: {},
      retries: CONNECTION_STYLE.delaysS.length,
      timeoutMs: TIMEOUT_MS,
      active: true,
    };
    const endpoint = this.#parts.endpoints.add("connection", ID, settings, now);
    this.#parts.secrets.add(endpoint.lane, sealed, now, null);
    return { ok: true, value: { ...recordOf(endpoint), secret } };
  }

  delete(): Outcome<Nothing> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    this.#parts.endpoints.remove(endpoint);
    this.#parts.secrets.removeAll(endpoint.lane);
    this.#parts.dispatcher.breakOff(endpoint.lane);
    this.#world.rearm();
    return { ok: true, value: {} };
  }

  async test(): Promise<Outcome<TestAnswer>> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const answer = await sendTest(endpoint, this.#parts, this.#world);
    const now = this.endpoint();
    if (answer.error === null && now?.lane === endpoint.lane && now.url === endpoint.url)
      this.#parts.endpoints.setTested(now, this.#world.clock());
    return { ok: true, value: answer };
  }

  /** The new secret signs at once, the previous ones to the end of their 24 hours. */
  async rotate(): Promise<Outcome<{ secret: string }>> {
    const secret = makeWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
    const sealed = await this.#parts.secrets.seal(secret);
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const now = this.#world.clock();
    const valid = this.#parts.secrets.valid(endpoint.lane, now);
    if (valid.length >= MOST_SECRETS) {
      const first = Math.min(...valid.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
      return fail("rate_limited", { retryAfter: Math.max(1, Math.ceil((first - now) / 1_000)) });
    }
    this.#parts.secrets.add(endpoint.lane, sealed, now, now + OVERLAP_MS);
    this.#world.rearm();
    return { ok: true, value: { secret } };
  }

  /** Only after a test event was accepted since it was disabled (docs/delivery.md, "Disabling a webhook"). */
  reactivate(): Outcome<Shown> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const { disabledAt, testedAt } = endpoint;
    if (disabledAt === null) return { ok: true, value: recordOf(endpoint) };
    if (testedAt === null || testedAt <= disabledAt) return fail("test_first");
    const active = this.#parts.endpoints.reactivate(endpoint);
    this.#world.rearm();
    return { ok: true, value: recordOf(active) };
  }

  /** The most recent ones, newest first. */
  deliveries(limit: number): Outcome<{ items: DeliveryRecord[] }> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const query = { status: null, event: null, limit, before: null };
    const { items } = this.#parts.history.page(endpoint, query, this.#world.clock());
    return { ok: true, value: { items: items.map(({ place: _place, ...shown }) => shown) } };
  }

  delivery(id: string): Outcome<DeliveryDetail> {
    const endpoint = this.endpoint();
    return endpoint === null ? NOT_FOUND : this.#parts.history.find(endpoint, id, this.#world.clock());
  }

  /** Under the same `webhook-id` (docs/delivery.md, "Test and resend"). */
  resend(id: string): Outcome<Nothing> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const resent = this.#parts.resends.one(endpoint, id, this.#world.clock());
    this.#parts.dispatcher.dispatch();
    this.#world.rearm();
    return resent;
  }

  /** All that failed or was skipped since then (Unix ms). */
  resendFailed(since: number): Outcome<{ count: number }> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const wanted = this.#parts.resends.failed(endpoint, since, this.#world.clock());
    this.#world.rearm();
    return wanted;
  }

  #change(url: string, events: readonly string[] | null): Outcome<Shown & { secret: null }> {
    const endpoint = this.endpoint();
    if (endpoint === null) return NOT_FOUND;
    const changed = this.#parts.endpoints.change(endpoint, { ...endpoint, url, events: events ?? endpoint.events });
    if (changed.url !== endpoint.url) {
      this.#parts.dispatcher.breakOff(endpoint.lane);
      this.#parts.lanes.changed(endpoint.lane);
    }
    return { ok: true, value: { ...recordOf(changed), secret: null } };
  }
}

function recordOf({ url, events, disabledAt, health, createdAt }: Endpoint): Shown {
  const status = disabledAt === null ? "active" : "disabled";
  return { url, events: [...events], status, disabled_at: disabledAt, last_success_at: health.lastSuccessAt, created_at: createdAt };
}

function refusalOf(events: readonly string[]): Failure | null {
  const known: readonly string[] = CONNECTION_EVENTS;
  const issues = events.flatMap((type, index) => (known.includes(type) ? [] : [{ field: `events[${index}]`, issue: "unknown event" }]));
  if (events.length === 0) issues.push({ field: "events", issue: "at least one event" });
  return issues.length === 0 ? null : { code: "validation_error", issues };
}
