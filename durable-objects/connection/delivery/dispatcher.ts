// Starts attempts and writes down how they ended. Nobody waits for an attempt: not the event, not the alarm.
import { afterAttempt, type AttemptResult, healthAfter, isGivenUpOn } from "../../../src/domain/delivery.ts";
import { bodyOf } from "../../../src/domain/webhook-style/body.ts";
import { STYLES } from "../../../src/domain/webhook-style/styles.ts";
import { checkOutgoingUrl } from "../../../src/domain/webhook-url.ts";
import { attempt, type Ended, failed } from "./attempt.ts";
import { type Endpoint, isClosed } from "./endpoints.ts";
import type { Parts } from "./parts.ts";
import { type Claim, type Ending, STATE, type Waiting } from "./queue.ts";
import type { DeliveryWorld } from "./world.ts";

/** Requests that may wait for an answer in one invocation of the object; the platform would hold back a seventh. */
const WAVE_SLOTS = 6;
/** An attempt that has not ended so long after its timeout never will: this instance is gone. */
const LEASE_GRACE_MS = 5_000;

/** The attempts of one invocation (an event, an alarm): each that ends makes room for the next of the same invocation. */
type Wave = { running: number };

type Flight = { claim: Claim; kind: Waiting; wave: Wave; broken: AbortController };

type Used = Pick<Parts, "endpoints" | "secrets" | "queue" | "lanes" | "notices">;

export class Dispatcher {
  readonly #world: DeliveryWorld;
  readonly #parts: Used;
  readonly #flights = new Set<Flight>();
  #landed: { flight: Flight; ended: Ended }[] = [];
  #turn = 0;

  constructor(world: DeliveryWorld, parts: Used) {
    this.#world = world;
    this.#parts = parts;
  }

  /** Starts what is due, as far as there are slots. To be called once per invocation, after its writes. */
  dispatch(wave: Wave = { running: 0 }): void {
    const now = this.#world.clock();
    const endpoints = [...this.#parts.endpoints.all()];
    this.#turn += 1;
    for (let index = 0; index < endpoints.length && wave.running < WAVE_SLOTS; index += 1) {
      const endpoint = endpoints[(index + this.#turn) % endpoints.length];
      if (endpoint !== undefined) this.#dispatchLane(endpoint, wave, now);
    }
  }

  /** Breaks off what is under way to a receiver that is no longer to be sent to; it goes back to the queue. */
  breakOff(lane: number): void {
    for (const flight of this.#flights) if (flight.claim.lane === lane) flight.broken.abort();
  }

  #dispatchLane(endpoint: Endpoint, wave: Wave, now: number): void {
    const free = Math.min(this.#parts.lanes.free(endpoint), WAVE_SLOTS - wave.running);
    if (free <= 0) return;
    const shares = this.#parts.lanes.shares(endpoint, free);
    const fresh = this.#start(endpoint, STATE.fresh, shares.fresh, wave, now);
    const retries = this.#start(endpoint, STATE.retry, free - fresh, wave, now);
    // What the retries left unused of their share.
    if (fresh === shares.fresh && fresh + retries < free) this.#start(endpoint, STATE.fresh, free - fresh - retries, wave, now);
  }

  #start(endpoint: Endpoint, kind: Waiting, limit: number, wave: Wave, now: number): number {
    const { lane, timeoutMs } = endpoint;
    if (limit <= 0 || (this.#parts.lanes.dueAt(lane, kind) ?? Number.POSITIVE_INFINITY) > now) return 0;
    const claims = this.#parts.queue.claim(lane, kind, limit, now, now + timeoutMs + LEASE_GRACE_MS);
    this.#parts.lanes.changed(lane);
    for (const claim of claims) {
      const flight: Flight = { claim, kind, wave, broken: new AbortController() };
      this.#flights.add(flight);
      this.#parts.lanes.take(lane, kind);
      wave.running += 1;
      void this.#fly(flight, endpoint);
    }
    return claims.length;
  }

  async #fly(flight: Flight, endpoint: Endpoint): Promise<void> {
    const ended = await this.#attempt(flight, endpoint);
    this.#landed.push({ flight, ended });
    if (this.#landed.length > 1) return;
    // Those that land in the same moment share one commit.
    await Promise.resolve();
    this.#settle();
  }

  #attempt({ claim, broken }: Flight, endpoint: Endpoint): Promise<Ended> {
    const { clock, outgoing, policy } = this.#world;
    const { signing } = STYLES[endpoint.style];
    if (!checkOutgoingUrl(endpoint.url, policy).ok) {
      return Promise.resolve({ result: failed("url_not_allowed"), latencyMs: 0, endedAt: clock() });
    }
    const request = {
      id: claim.id,
      url: endpoint.url,
      headers: endpoint.headers,
      body: bodyOf(claim.id, claim.text),
      signing,
      keys: this.#parts.secrets.keys(endpoint.lane, signing, clock()),
      timeoutMs: endpoint.timeoutMs,
      broken: broken.signal,
    };
    return attempt(request, outgoing, clock);
  }

  /** One synchronous block: results, health, what follows; then the next attempts of the invocations that got room. */
  #settle(): void {
    const landed = this.#landed;
    this.#landed = [];
    for (const { flight } of landed) {
      this.#flights.delete(flight);
      this.#parts.lanes.release(flight.claim.lane, flight.kind);
      flight.wave.running -= 1;
    }
    for (const { flight, ended } of landed) {
      if (ended.result === null) this.#parts.queue.withdraw(flight.claim, ended.endedAt);
      else this.#conclude(flight.claim, ended.result, ended);
      this.#parts.lanes.changed(flight.claim.lane);
    }
    for (const wave of new Set(landed.map(({ flight }) => flight.wave))) this.dispatch(wave);
    this.#world.rearm();
  }

  #conclude(claim: Claim, result: AttemptResult, { latencyMs, endedAt }: Ended): void {
    const endpoint = this.#parts.endpoints.get(claim.lane);
    // Removed meanwhile: its deliveries are being cleared.
    if (endpoint === null) return;
    const checked = this.#checkHealth(endpoint, result, endedAt);
    const { style, retries } = endpoint;
    const next = afterAttempt(claim.id, claim.failures, result, { delaysS: STYLES[style].delaysS, retries }, endedAt);
    const ending: Ending = next.state === "waiting" && isClosed(checked) ? { state: "skipped" } : next;
    const error = result.ok ? null : ending.state === "skipped" ? "webhook_disabled" : result.error;
    this.#parts.queue.settle({ claim, ending, failures: claim.failures + Number(!result.ok), httpStatus: result.httpStatus, error, latencyMs, endedAt });
    this.#world.log("delivery.attempted", {
      deliveryId: claim.id, event: claim.type, surface: style, attempt: claim.attempt, status: result.httpStatus,
      error: result.ok ? null : result.error, ms: latencyMs, next: ending.state === "waiting" ? ending.dueAt : ending.state,
    });
  }

  /** The receiver's health after an attempt; at a failure, and only then, it may be the end of its patience. */
  #checkHealth(endpoint: Endpoint, result: AttemptResult, now: number): Endpoint {
    const health = healthAfter(endpoint.health, result, now);
    const updated = this.#parts.endpoints.setHealth(endpoint, health);
    if (result.ok || updated.disabledAt !== null || !isGivenUpOn(health, STYLES[endpoint.style].disableAfterMs, now)) return updated;
    const disabled = this.#parts.endpoints.disable(updated, now);
    this.#parts.notices.add(disabled, now);
    this.#world.log("webhook.disabled", { surface: endpoint.style, failingSince: health.firstFailedAt });
    return disabled;
  }
}
