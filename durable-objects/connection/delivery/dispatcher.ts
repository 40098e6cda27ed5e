// Starts attempts and writes down how they ended. Nobody waits for an attempt: not the event, not the alarm.
//
// A receiver that answers in no time is limited by how often the storage commits. So a lane that is quick gets more claims at
// once than it has slots (`#ready`), and the ends of its attempts are written together, a few milliseconds late at most.
import { afterAttempt, type AttemptResult, healthAfter, isGivenUpOn } from "../../../src/domain/delivery.ts";
import { bodyOf } from "../../../src/domain/webhook-style/body.ts";
import { STYLES } from "../../../src/domain/webhook-style/styles.ts";
import { checkOutgoingUrl } from "../../../src/domain/webhook-url.ts";
import { type Attempt, type Ended, failed, startAttempt } from "./attempt.ts";
import { type Endpoint, isClosed } from "./endpoints.ts";
import type { Parts } from "./parts.ts";
import { type Claim, type Ending, STATE, type Waiting } from "./queue.ts";
import type { DeliveryWorld } from "./world.ts";

/** Requests that may wait for an answer in one invocation of the object; the platform would hold back a seventh. */
const WAVE_SLOTS = 6;
/** An attempt that has not ended so long after its timeout never will: this instance is gone. */
const LEASE_GRACE_MS = 5_000;
/** Only for a lane that was claimed for so shortly ago; and a claim that is not started within a lease's margin goes back. */
const AHEAD = { most: 28, paceMs: 100, keptMs: 1_000 } as const;
const WRITE_AFTER_MS = 10;
const MOST_JUDGED = 100;

/** The attempts of one invocation (an event, an alarm): each that ends makes room for the next of the same invocation. */
type Wave = { running: number };
type Ready = { claim: Claim; kind: Waiting };
/** How many of a lane's attempts ended since it was claimed for. */
type Pace = { claimedAt: number; ended: number };
type Flight = Ready & { wave: Wave; breakOff: () => void };
type Landed = { flight: Flight; ended: Ended };

type Used = Pick<Parts, "endpoints" | "secrets" | "queue" | "lanes" | "notices" | "deadlines">;

export class Dispatcher {
  readonly #world: DeliveryWorld;
  readonly #parts: Used;
  readonly #flights = new Set<Flight>();
  readonly #ready = new Map<number, Ready[]>();
  readonly #pace = new Map<number, Pace>();
  readonly #allowed = new Map<string, boolean>();
  #landed: Landed[] = [];
  #writing: ReturnType<typeof setTimeout> | null = null;
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
    const { lane, timeoutMs, health } = endpoint;
    const { lanes, queue } = this.#parts;
    const free = Math.min(lanes.free(endpoint), room);
    if (free <= 0) return;
    const pace = this.#pace.get(lane);
    const quick = pace !== undefined && health.firstFailedAt === null && now - pace.claimedAt <= AHEAD.paceMs;
    const ahead = quick ? Math.min(pace.ended, AHEAD.most) : 0;
    const limit = free + ahead;
    const shares = lanes.shares(endpoint, limit, ahead);
    const leaseUntil = now + timeoutMs + LEASE_GRACE_MS;
    const take = (kind: Waiting, most: number): Ready[] => {
      if (most <= 0 || (lanes.dueAt(lane, kind) ?? Number.POSITIVE_INFINITY) > now) return [];
      lanes.changed(lane);
      return queue.claim(lane, kind, most, now, leaseUntil).map((claim) => ({ claim, kind }));
    };
    const fresh = take(STATE.fresh, shares.fresh);
    const retries = take(STATE.retry, limit - fresh.length);
    // What the retries left unused of their share.
    const more = fresh.length === shares.fresh ? take(STATE.fresh, limit - fresh.length - retries.length) : [];
    const ready = alternate([...fresh, ...more], retries);
    this.#pace.set(lane, { claimedAt: now, ended: 0 });
    if (ready.length > 0) this.#ready.set(lane, ready);
  }

  /** Answers whether anything was started. */
  #startReady(endpoint: Endpoint, wave: Wave): boolean {
    const { lane } = endpoint;
    const ready = this.#ready.get(lane);
    if (ready === undefined) return false;
    const count = Math.min(ready.length, this.#parts.lanes.free(endpoint), WAVE_SLOTS - wave.running);
    for (const { claim, kind } of ready.splice(0, count)) this.#start(endpoint, claim, kind, wave);
    if (ready.length === 0) this.#ready.delete(lane);
    return count > 0;
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
      body: bodyOf(claim.id, claim.text),
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

  /** Its slot goes to the next claim that is ready; without one it is time to write, and to claim anew. */
  #land(flight: Flight, ended: Ended): void {
    const { lane } = flight.claim;
    this.#flights.delete(flight);
    this.#parts.lanes.release(lane, flight.kind);
    flight.wave.running -= 1;
    this.#landed.push({ flight, ended });
    const pace = this.#pace.get(lane);
    if (pace !== undefined) pace.ended += 1;
    const slow = pace === undefined || ended.endedAt - pace.claimedAt > AHEAD.keptMs;
    if (slow || ended.result?.ok !== true) this.#giveBack(lane);
    const endpoint = this.#parts.endpoints.get(lane);
    if (endpoint !== null && this.#startReady(endpoint, flight.wave)) this.#writing ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
    else this.#write();
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
    if (result.ok || updated.disabledAt !== null || !isGivenUpOn(health, STYLES[endpoint.style].disableAfterMs, now)) return updated;
    const disabled = endpoints.disable(updated, now);
    this.#giveBack(endpoint.lane);
    notices.add(disabled, now);
    this.#world.log("webhook.disabled", { surface: endpoint.style, failingSince: health.firstFailedAt });
    return disabled;
  }

  /** Claims that were not started go back as if they had not been made. */
  #giveBack(lane: number): void {
    const ready = this.#ready.get(lane);
    if (ready === undefined) return;
    for (const { claim } of ready) this.#parts.queue.withdraw(claim, this.#world.clock());
    this.#ready.delete(lane);
    this.#parts.lanes.changed(lane);
  }
}

function alternate(fresh: readonly Ready[], retries: readonly Ready[]): Ready[] {
  return Array.from({ length: Math.max(fresh.length, retries.length) }, (_, index) => [fresh[index], retries[index]])
    .flat()
    .filter((ready) => ready !== undefined);
}
