// Starts attempts and writes down how they ended. Nobody waits for an attempt: not the event, not the alarm.
//
// A receiver that answers in no time is limited by how often the storage commits. So a lane that is quick gets more claims at
// once than it has slots (ready.ts), and the ends of its attempts are written together, a few milliseconds late at most.
import { afterAttempt, type AttemptResult, healthAfter, shouldDisable } from "../../../src/domain/webhooks/delivery.ts";
import { withDeliveryId } from "../../../src/domain/webhooks/style/body.ts";
import { STYLES } from "../../../src/domain/webhooks/style/styles.ts";
import { checkOutgoingUrl } from "../../../src/domain/egress/outgoing-url.ts";
import { type Attempt, type Ended, failed, startAttempt } from "./attempt.ts";
import type { Deadlines } from "./deadlines.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import type { Lanes } from "./lanes.ts";
import type { Notices } from "./notices.ts";
import { type Claim, type Ending, type Queue, STATE, type Waiting } from "./queue.ts";
import { alternate, type Ready, ReadyClaims } from "./ready.ts";
import type { Secrets } from "./secrets.ts";
import type { DeliveryWorld } from "./world.ts";

/** Requests that may wait for an answer in one invocation of the object; the platform would hold back a seventh. */
const WAVE_SLOTS = 6;
/** An attempt that has not ended so long after its timeout never will: this instance is gone. */
const LEASE_GRACE_MS = 5_000;
const WRITE_AFTER_MS = 2;
const MOST_JUDGED = 100;

/** The attempts of one invocation (an event, an alarm): each that ends makes room for the next of the same invocation. */
type Wave = { running: number };
type Flight = { claim: Claim; kind: Waiting; wave: Wave; breakOff: () => void };
type Landed = { flight: Flight; ended: Ended };

type Used = { endpoints: Endpoints; secrets: Secrets; queue: Queue; lanes: Lanes; notices: Notices; deadlines: Deadlines };

export class Dispatcher {
  readonly #world: DeliveryWorld;
  readonly #parts: Used;
  readonly #flights = new Set<Flight>();
  readonly #ready = new ReadyClaims();
  readonly #allowed = new Map<string, boolean>();
  #landed: Landed[] = [];
  #writing: ReturnType<typeof setTimeout> | null = null;
  #turn = 0;

  constructor(world: DeliveryWorld, parts: Used) {
    this.#world = world;
    this.#parts = parts;
  }

  /** Begins a block that stores deliveries. What an earlier one stored as claimed counts only if `dispatchStored` was called. */
  beginStoring(): void {
    this.#ready.begin();
  }

  /** Until when a delivery that is being stored is leased, if it may be stored as claimed; null: it has to wait in the storage. */
  leaseNew(endpoint: Endpoint, now: number): number | null {
    const { lane } = endpoint;
    const { lanes } = this.#parts;
    if (isClosed(endpoint) || lanes.dueAt(lane, STATE.fresh) !== null) return null;
    if ((lanes.dueAt(lane, STATE.retry) ?? Number.POSITIVE_INFINITY) <= now) return null;
    if (this.#ready.count(lane) >= lanes.free(endpoint) + this.#ready.ahead(endpoint)) return null;
    return leaseOf(endpoint, now);
  }

  /** With the lease that `leaseNew` gave. */
  storedAsClaimed(claim: Claim, now: number): void {
    this.#ready.stage({ claim, kind: STATE.fresh, claimedAt: now });
  }

  /** The block stands: starts what it stored, and what else is due. What has ended meanwhile is written with it, in one commit. */
  dispatchStored(): void {
    this.#ready.promote();
    if (this.#landed.length > 0) this.#write();
    this.dispatch();
  }

  /** Whether claims wait that have a slot; their invocation had no more room for them. */
  get hasStartable(): boolean {
    for (const lane of this.#ready.lanes()) {
      const endpoint = this.#parts.endpoints.get(lane);
      if (endpoint !== null && this.#parts.lanes.free(endpoint) > 0) return true;
    }
    return false;
  }

  /** Starts what is due, as far as there are slots. To be called once per invocation, after its writes. */
  dispatch(wave: Wave = { running: 0 }): void {
    const now = this.#world.clock();
    const endpoints = [...this.#parts.endpoints.all()];
    this.#turn += 1;
    for (let index = 0; index < endpoints.length && wave.running < WAVE_SLOTS; index += 1) {
      const endpoint = endpoints[(index + this.#turn) % endpoints.length];
      if (endpoint === undefined) continue;
      if (!this.#ready.has(endpoint.lane)) this.#claim(endpoint, WAVE_SLOTS - wave.running, now);
      this.#startReady(endpoint, wave);
    }
  }

  /** Breaks off what is under way to a receiver that is no longer to be sent to; it goes back to the queue. */
  breakOff(lane: number): void {
    this.#giveBack(lane);
    for (const flight of this.#flights) if (flight.claim.lane === lane) flight.breakOff();
  }

  #claim(endpoint: Endpoint, room: number, now: number): void {
    const { lane } = endpoint;
    const { lanes, queue } = this.#parts;
    const free = Math.min(lanes.free(endpoint), room);
    if (free <= 0) return;
    const ahead = this.#ready.ahead(endpoint);
    const limit = free + ahead;
    const shares = lanes.shares(endpoint, limit, ahead);
    const take = (kind: Waiting, most: number): Ready[] => {
      if (most <= 0 || (lanes.dueAt(lane, kind) ?? Number.POSITIVE_INFINITY) > now) return [];
      lanes.changed(lane);
      return queue.claim(lane, kind, most, now, leaseOf(endpoint, now)).map((claim) => ({ claim, kind, claimedAt: now }));
    };
    const fresh = take(STATE.fresh, shares.fresh);
    const retries = take(STATE.retry, limit - fresh.length);
    // What the retries left unused of their share.
    const more = fresh.length === shares.fresh ? take(STATE.fresh, limit - fresh.length - retries.length) : [];
    this.#ready.add(lane, alternate([...fresh, ...more], retries));
  }

  #startReady(endpoint: Endpoint, wave: Wave): void {
    const started = this.#ready.take(endpoint.lane, Math.min(this.#parts.lanes.free(endpoint), WAVE_SLOTS - wave.running));
    for (const { claim, kind } of started) this.#start(endpoint, claim, kind, wave);
  }

  #start(endpoint: Endpoint, claim: Claim, kind: Waiting, wave: Wave): void {
    const { ended, breakOff } = this.#attempt(claim, endpoint);
    const flight: Flight = { claim, kind, wave, breakOff };
    this.#flights.add(flight);
    this.#parts.lanes.take(claim.lane, kind);
    wave.running += 1;
    void ended.then((how) => this.#land(flight, how));
  }

  #attempt(claim: Claim, endpoint: Endpoint): Attempt {
    const { clock, outgoing } = this.#world;
    const { deadlines, secrets } = this.#parts;
    const { signing } = STYLES[endpoint.style];
    if (!this.#isAllowed(endpoint.url)) {
      return { ended: Promise.resolve({ result: failed("url_not_allowed"), latencyMs: 0, endedAt: clock() }), breakOff: () => undefined };
    }
    const request = {
      id: claim.id,
      url: endpoint.url,
      headers: endpoint.headers,
      body: withDeliveryId(claim.id, claim.text),
      signing,
      keys: secrets.keys(endpoint.lane, signing, clock()),
      timeoutMs: endpoint.timeoutMs,
    };
    return startAttempt(request, outgoing, deadlines, clock);
  }

  /** The rules for destinations hold at every attempt; they are the same as long as this instance lives, so each URL is judged once. */
  #isAllowed(url: string): boolean {
    const known = this.#allowed.get(url);
    if (known !== undefined) return known;
    const { ok } = checkOutgoingUrl(url, this.#world.policy);
    if (this.#allowed.size >= MOST_JUDGED) this.#allowed.clear();
    this.#allowed.set(url, ok);
    return ok;
  }

  /**
   * Its slot goes to the next claim that is ready. As long as others are under way the ends wait for each other; with the last one, and
   * when there is something to be claimed, it is time to write.
   */
  #land(flight: Flight, ended: Ended): void {
    const { lane } = flight.claim;
    this.#flights.delete(flight);
    this.#parts.lanes.release(lane, flight.kind);
    flight.wave.running -= 1;
    this.#landed.push({ flight, ended });
    const accepted = ended.result?.ok === true;
    if (!this.#ready.landed(lane, ended.latencyMs, ended.endedAt) || !accepted) this.#giveBack(lane);
    const endpoint = this.#parts.endpoints.get(lane);
    if (endpoint !== null) this.#startReady(endpoint, flight.wave);
    if (!accepted || (this.#parts.lanes.nextDue() ?? Number.POSITIVE_INFINITY) <= ended.endedAt) return this.#write();
    this.dispatch(flight.wave);
    if (this.#flights.size === 0) this.#write();
    else this.#writing ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
  }

  /** One synchronous block: results, health, what follows; then the next attempts of the invocations that got room. */
  #write(): void {
    if (this.#writing !== null) clearTimeout(this.#writing);
    this.#writing = null;
    const landed = this.#landed;
    this.#landed = [];
    for (const { flight, ended } of landed) {
      if (ended.result === null) this.#parts.queue.withdraw(flight.claim, ended.endedAt);
      else this.#conclude(flight.claim, ended.result, ended);
      if (ended.result?.ok !== true) this.#parts.lanes.changed(flight.claim.lane);
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
    this.#parts.queue.settle({
      claim,
      ending,
      failures: claim.failures + Number(!result.ok),
      httpStatus: result.httpStatus,
      error,
      latencyMs,
      endedAt,
    });
    this.#world.log("delivery.attempted", {
      deliveryId: claim.id,
      event: claim.type,
      surface: style,
      attempt: claim.attempt,
      status: result.httpStatus,
      error: result.ok ? null : result.error,
      ms: latencyMs,
      next: ending.state === "waiting" ? ending.dueAt : ending.state,
    });
  }

  /** The receiver's health after an attempt; at a failure, and only then, it may be the end of its patience. */
  #checkHealth(endpoint: Endpoint, result: AttemptResult, now: number): Endpoint {
    const { endpoints, notices } = this.#parts;
    const health = healthAfter(endpoint.health, result, now);
    const updated = endpoints.setHealth(endpoint, health);
    if (result.ok || updated.disabledAt !== null || !shouldDisable(health, STYLES[endpoint.style].disableAfterMs, now)) return updated;
    const disabled = endpoints.disable(updated, now);
    this.#giveBack(endpoint.lane);
    notices.add(disabled, now);
    this.#world.log("webhook.disabled", { surface: endpoint.style, failingSince: health.firstFailedAt });
    return disabled;
  }

  /** Claims that were not started go back as if they had not been made. */
  #giveBack(lane: number): void {
    const ready = this.#ready.takeAll(lane);
    if (ready.length === 0) return;
    for (const { claim } of ready) this.#parts.queue.withdraw(claim, this.#world.clock());
    this.#parts.lanes.changed(lane);
  }
}

const leaseOf = ({ timeoutMs }: Endpoint, now: number): number => now + timeoutMs + LEASE_GRACE_MS;
