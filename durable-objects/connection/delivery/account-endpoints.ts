// The Account API's webhook endpoints as far as they concern this connection. D1 is their home; these are copies that the verb which
// changes them pushes here before it answers, so that a change binds at once, also for deliveries that wait.
import type { AccountEndpoint } from "../../../src/protocol/account-endpoint.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import type { DeliveryDetail } from "../../../src/protocol/records.ts";
import type { Endpoint, EndpointSettings } from "./endpoints.ts";
import type { HistoryPage, HistoryQuery } from "./history.ts";
import type { Parts } from "./parts.ts";
import { sendTest, type TestAnswer } from "./test-event.ts";
import type { DeliveryWorld } from "./world.ts";

type Sealed = AccountEndpoint & { sealed: Uint8Array | null };

const INACTIVE: Outcome<never> = fail("webhook_inactive");
const NOT_FOUND: Outcome<never> = fail("webhook_not_found");

export class AccountEndpoints {
  readonly #world: DeliveryWorld;
  readonly #parts: Parts;
  /** The newest state that was pushed, and the newest that is in force. */
  #pushed: number;
  #taken: number;

  constructor(world: DeliveryWorld, parts: Parts) {
    this.#world = world;
    this.#parts = parts;
    this.#taken = world.sql.exec<{ revision: number }>("SELECT revision FROM account_endpoints").toArray()[0]?.revision ?? 0;
    this.#pushed = this.#taken;
  }

  /** Of the newest state that was pushed. */
  get revision(): number {
    return this.#pushed;
  }

  /**
   * All endpoints that apply to this connection, global and scoped; one that is not among them is gone. `revision` counts the
   * states of the account's endpoints in D1: pushes may cross, and one that was overtaken is old news.
   */
  async replace(pushed: readonly AccountEndpoint[], revision: number = this.#pushed + 1): Promise<void> {
    if (revision < this.#taken) return;
    this.#pushed = Math.max(this.#pushed, revision);
    // Encrypting takes turns.
    const sealed = await Promise.all(pushed.map((endpoint) => this.#seal(endpoint)));
    if (revision < this.#taken) return;
    this.#taken = revision;
    this.#world.sql.exec("INSERT OR REPLACE INTO account_endpoints (one, revision) VALUES (1, ?)", revision);
    const now = this.#world.clock();
    const ids = new Set(sealed.map(({ id }) => id));
    for (const endpoint of this.#parts.endpoints.of("account")) if (!ids.has(endpoint.id)) this.#remove(endpoint);
    for (const endpoint of sealed) this.#put(endpoint, now);
    this.#world.rearm();
  }

  /** One attempt with the test event. */
  async test(id: string): Promise<Outcome<TestAnswer>> {
    const endpoint = this.#parts.endpoints.find("account", id);
    return endpoint === null ? NOT_FOUND : { ok: true, value: await sendTest(endpoint, this.#parts, this.#world) };
  }

  deliveries(id: string, query: HistoryQuery): Outcome<HistoryPage> {
    const endpoint = this.#parts.endpoints.find("account", id);
    return endpoint === null ? NOT_FOUND : { ok: true, value: this.#parts.history.page(endpoint, query, this.#world.clock()) };
  }

  delivery(id: string, deliveryId: string): Outcome<DeliveryDetail> {
    const endpoint = this.#parts.endpoints.find("account", id);
    return endpoint === null ? NOT_FOUND : this.#parts.history.find(endpoint, deliveryId, this.#world.clock());
  }

  resend(id: string, deliveryId: string): Outcome<Record<string, never>> {
    const endpoint = this.#parts.endpoints.find("account", id);
    if (endpoint === null) return NOT_FOUND;
    if (!endpoint.active) return INACTIVE;
    const resent = this.#parts.resends.one(endpoint, deliveryId, this.#world.clock());
    this.#parts.dispatcher.dispatch();
    this.#world.rearm();
    return resent;
  }

  /** All that failed or was skipped in that span (Unix ms). */
  resendFailed(id: string, since: number, until: number | null): Outcome<{ count: number }> {
    const endpoint = this.#parts.endpoints.find("account", id);
    if (endpoint === null) return NOT_FOUND;
    if (!endpoint.active) return INACTIVE;
    const wanted = this.#parts.resends.failed(endpoint, since, until ?? this.#world.clock());
    this.#world.rearm();
    return wanted;
  }

  async #seal(endpoint: AccountEndpoint): Promise<Sealed> {
    const { secret } = endpoint;
    return { ...endpoint, sealed: secret === null || secret === "" ? null : await this.#parts.secrets.seal(secret) };
  }

  #put(pushed: Sealed, now: number): void {
    const settings: EndpointSettings = {
      url: pushed.url,
      events: pushed.events,
      headers: pushed.headers,
      retries: pushed.retry_count,
      timeoutMs: pushed.timeout_ms,
      active: pushed.is_active,
    };
    const known = this.#parts.endpoints.find("account", pushed.id);
    const { lane } =
      known === null ? this.#parts.endpoints.add("account", pushed.id, settings, now) : this.#parts.endpoints.change(known, settings);
    if (pushed.sealed === null) this.#parts.secrets.removeAll(lane);
    else this.#parts.secrets.add(lane, pushed.sealed, now, null);
    if (known === null) return;
    if (known.url !== settings.url || !settings.active) this.#parts.dispatcher.breakOff(lane);
    this.#parts.lanes.changed(lane);
  }

  #remove(endpoint: Endpoint): void {
    this.#parts.endpoints.remove(endpoint);
    this.#parts.secrets.removeAll(endpoint.lane);
    this.#parts.dispatcher.breakOff(endpoint.lane);
  }
}
