// Starts attempts and stores their results. One commit per attempt would slow down a fast receiver, so claims and results are batched.
import { afterAttempt, type AttemptResult, healthAfter, pauseAfter, shouldDisable } from "@gateway/domain/webhooks/delivery.ts";
import { latencyStep } from "@gateway/domain/statistics/counts.ts";
import { withDeliveryId } from "@gateway/domain/webhooks/style/body.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";
import { checkOutgoingUrl } from "@gateway/domain/egress/outgoing-url.ts";
import { type Attempt, type AttemptEnd, failed, startAttempt } from "./attempt.ts";
import type { Deadlines } from "./deadlines.ts";
import { type Endpoint, type Endpoints, isClosed } from "./endpoints.ts";
import type { AttemptSlots } from "./attempt-slots.ts";
import type { Notices } from "./notices.ts";
import type { Claim, Ending, Queue } from "./queue.ts";
import { STATE, type WaitingState } from "./states.ts";
import { interleave, type BufferedClaim, type ClaimBuffer } from "./claim-buffer.ts";
import type { Secrets } from "./secrets.ts";
import { errorFields } from "#root/src/log.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** Maximum pending requests per invocation of the object. The platform queues any others. */
const INVOCATION_SLOTS = 6;
/** An attempt that has no result this long after its timeout was cut off by a restart. */
const CLAIM_GRACE_MS = 5_000;
/** Results that arrive within this time share a commit if attempts are running. After a crash, their deliveries are repeated. */
const WRITE_DELAY_MS = 25;
const MAX_URL_VERDICTS = 100;
/** A secret that cannot be decrypted needs the operator, so its deliveries wait (docs/operate/log-events.md, "Worker and objects"). */
const UNSIGNED_PAUSE_MS = 10 * MINUTE_MS;

/** Running attempts of one invocation (an event or an alarm). Each attempt that ends frees a slot in its invocation. */
type Invocation = { running: number };
type RunningAttempt = { claim: Claim; kind: WaitingState; invocation: Invocation; cancel: () => void };
type FinishedAttempt = { attempt: RunningAttempt; end: AttemptEnd };

type Dependencies = {
  endpoints: Endpoints;
  secrets: Secrets;
  queue: Queue;
  slots: AttemptSlots;
  buffer: ClaimBuffer;
  notices: Notices;
  deadlines: Deadlines;
};

export class Dispatcher {
  readonly #host: DeliveryHost;
  readonly #deps: Dependencies;
  readonly #running = new Set<RunningAttempt>();
  readonly #buffer: ClaimBuffer;
  readonly #urlVerdicts = new Map<string, boolean>();
  #finished: FinishedAttempt[] = [];
  #writeTimer: ReturnType<typeof setTimeout> | null = null;
  #rotation = 0;
  #stopped = false;

  constructor(host: DeliveryHost, deps: Dependencies) {
    this.#host = host;
    this.#deps = deps;
    this.#buffer = deps.buffer;
  }

  /** When the claim of a new delivery expires, if it may start immediately. Null if the delivery must queue. */
  claimEndForNew(endpoint: Endpoint, now: number): number | null {
    const { queueId } = endpoint;
    const { slots } = this.#deps;
    if (isClosed(endpoint) || this.#host.isSuspended() || slots.dueAt(queueId, STATE.fresh) !== null) return null;
    if ((slots.dueAt(queueId, STATE.retry) ?? Number.POSITIVE_INFINITY) <= now) return null;
    if (this.#buffer.count(queueId) >= slots.free(endpoint) + this.#buffer.prefetchable(endpoint)) return null;
    return claimEndOf(endpoint, now);
  }

  addClaimed(claim: Claim, now: number): void {
    this.#buffer.stage({ claim, kind: STATE.fresh, claimedAt: now });
  }

  /** Called after the commit: starts the stored claims and other due deliveries. Pending results are written in the same commit. */
  dispatchStored(): void {
    if (this.#finished.length > 0) this.#write();
    this.dispatch();
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.#finished.length > 0;
  }

  /** True if buffered claims could start now. Claims remain buffered if the invocation that made them had no slot. */
  get hasStartable(): boolean {
    for (const queueId of this.#buffer.queues()) {
      const endpoint = this.#deps.endpoints.get(queueId);
      if (endpoint !== null && this.#deps.slots.free(endpoint) > 0) return true;
    }
    return false;
  }

  /** Starts as many due deliveries as there are free slots. Called once per invocation, after its writes. */
  dispatch(invocation: Invocation = { running: 0 }): void {
    if (this.#stopped) return;
    const now = this.#host.clock();
    const endpoints = [...this.#deps.endpoints.all()];
    this.#rotation += 1;
    for (let index = 0; index < endpoints.length && invocation.running < INVOCATION_SLOTS; index += 1) {
      const endpoint = endpoints[(index + this.#rotation) % endpoints.length];
      if (endpoint === undefined) continue;
      if (!this.#buffer.has(endpoint.queueId)) this.#claim(endpoint, INVOCATION_SLOTS - invocation.running, now);
      this.#startBuffered(endpoint, invocation);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const { queueId } of this.#deps.endpoints.all()) this.cancelAttempts(queueId);
  }

  /** Cancels the queue's running attempts because its receiver changed. The deliveries return to the queue. */
  cancelAttempts(queueId: number): void {
    this.#returnClaims(queueId);
    for (const attempt of this.#running) if (attempt.claim.queueId === queueId) attempt.cancel();
  }

  #claim(endpoint: Endpoint, freeOfInvocation: number, now: number): void {
    const { queueId } = endpoint;
    const { slots, queue } = this.#deps;
    const free = Math.min(slots.free(endpoint), freeOfInvocation);
    if (free <= 0) return;
    const prefetch = this.#buffer.prefetchable(endpoint);
    const limit = free + prefetch;
    const split = slots.split(endpoint, limit, prefetch);
    const take = (kind: WaitingState, max: number): BufferedClaim[] => {
      if (max <= 0 || (slots.dueAt(queueId, kind) ?? Number.POSITIVE_INFINITY) > now) return [];
      slots.invalidate(queueId);
      return queue
        .claim(queueId, kind, max, now, claimEndOf(endpoint, now), slots.waitsBefore)
        .map((claim) => ({ claim, kind, claimedAt: now }));
    };
    const fresh = take(STATE.fresh, split.fresh);
    const retries = take(STATE.retry, limit - fresh.length);
    const more = fresh.length === split.fresh ? take(STATE.fresh, limit - fresh.length - retries.length) : [];
    this.#buffer.add(queueId, interleave([...fresh, ...more], retries));
  }

  #startBuffered(endpoint: Endpoint, invocation: Invocation): void {
    if (this.#stopped) return;
    const started = this.#buffer.take(endpoint.queueId, Math.min(this.#deps.slots.free(endpoint), INVOCATION_SLOTS - invocation.running));
    for (const { claim, kind } of started) this.#start(endpoint, claim, kind, invocation);
  }

  #start(endpoint: Endpoint, claim: Claim, kind: WaitingState, invocation: Invocation): void {
    const { ended, cancel } = this.#attempt(claim, endpoint);
    const attempt: RunningAttempt = { claim, kind, invocation, cancel };
    this.#running.add(attempt);
    this.#deps.slots.occupy(claim.queueId, kind);
    invocation.running += 1;
    void ended.then((how) => this.#finish(attempt, how));
  }

  #attempt(claim: Claim, endpoint: Endpoint): Attempt {
    const { clock, egressFetch } = this.#host;
    const { deadlines, secrets } = this.#deps;
    const { signing } = STYLES[endpoint.style];
    if (!this.#isAllowed(endpoint.url)) {
      return { ended: Promise.resolve({ result: failed("url_not_allowed"), latencyMs: 0, endedAt: clock() }), cancel: () => undefined };
    }
    const request = {
      id: claim.id,
      url: endpoint.url,
      headers: endpoint.headers,
      body: withDeliveryId(claim.id, claim.text),
      signing,
      keys: secrets.keys(endpoint.queueId, signing, clock()),
      timeoutMs: endpoint.timeoutMs,
    };
    return startAttempt(request, egressFetch, deadlines, clock);
  }

  /** The URL rules apply to every attempt. The rules cannot change while this instance runs, so each URL is checked only once. */
  #isAllowed(url: string): boolean {
    const known = this.#urlVerdicts.get(url);
    if (known !== undefined) return known;
    const { ok } = checkOutgoingUrl(url, this.#host.policy);
    if (this.#urlVerdicts.size >= MAX_URL_VERDICTS) this.#urlVerdicts.clear();
    this.#urlVerdicts.set(url, ok);
    return ok;
  }

  /** Batches results while other attempts run. Writes them when the last one ends or as soon as another delivery can be claimed. */
  #finish(attempt: RunningAttempt, end: AttemptEnd): void {
    const { queueId } = attempt.claim;
    this.#running.delete(attempt);
    this.#deps.slots.release(queueId, attempt.kind);
    attempt.invocation.running -= 1;
    this.#finished.push({ attempt, end });
    const accepted = end.result?.ok === true;
    if (!this.#buffer.recordLatency(queueId, end.latencyMs, end.endedAt) || !accepted) this.#returnClaims(queueId);
    const endpoint = this.#deps.endpoints.get(queueId);
    const pauseMs = endpoint === null ? 0 : this.#pauseAfter(endpoint, end);
    if (pauseMs > 0) this.#deps.slots.pause(queueId, end.endedAt + pauseMs);
    if (endpoint !== null) this.#startBuffered(endpoint, attempt.invocation);
    if (!accepted || (this.#deps.slots.nextDue() ?? Number.POSITIVE_INFINITY) <= end.endedAt) return this.#write();
    this.dispatch(attempt.invocation);
    if (this.#running.size === 0) this.#write();
    else this.#writeTimer ??= setTimeout(() => this.#write(), WRITE_DELAY_MS);
  }

  #pauseAfter(endpoint: Endpoint, { result, unsigned }: AttemptEnd): number {
    if (result !== null) return pauseAfter(endpoint.health, result);
    if (unsigned === undefined) return 0;
    this.#host.log("delivery.not_signed", { surface: endpoint.style, ...errorFields(unsigned) });
    return UNSIGNED_PAUSE_MS;
  }

  /** Stores results, health and retries in one synchronous block, then dispatches for the invocations with free slots. */
  #write(): void {
    if (this.#writeTimer !== null) clearTimeout(this.#writeTimer);
    this.#writeTimer = null;
    const finished = this.#finished;
    this.#finished = [];
    for (const { attempt, end } of finished) {
      if (end.result === null) this.#deps.queue.unclaim(attempt.claim, end.endedAt);
      else this.#record(attempt.claim, end.result, end);
      if (end.result?.ok !== true) this.#deps.slots.invalidate(attempt.claim.queueId);
    }
    this.#host.counters.flush(this.#host.clock());
    this.#host.onStored();
    for (const invocation of new Set(finished.map(({ attempt }) => attempt.invocation))) this.dispatch(invocation);
    this.#host.rearm();
  }

  #record(claim: Claim, result: AttemptResult, { latencyMs, endedAt }: AttemptEnd): void {
    const endpoint = this.#deps.endpoints.get(claim.queueId);
    if (endpoint === null) return;
    const updated = this.#updateHealth(endpoint, result, endedAt);
    const { style, retries } = endpoint;
    const schedule = { delaysS: STYLES[style].delaysS, retries };
    const { resentState, resentDueAt } = claim;
    const next: Ending =
      resentState === null || result.ok
        ? afterAttempt(claim.id, claim.failures, result, schedule, endedAt)
        : { state: "restored", to: resentState, dueAt: resentDueAt };
    const ending: Ending = nextAttemptOf(next) !== null && isClosed(updated) ? { state: "skipped" } : next;
    const error = result.ok ? null : ending.state === "skipped" ? "webhook_disabled" : result.error;
    const isPlain = result.ok && this.#deps.queue.isFirstAttempt(claim, endedAt);
    const ended = isPlain ? this.#host.counters.defer(acceptedNames(latencyMs), endedAt) : null;
    const became = this.#deps.queue.settle({
      claim,
      ending,
      failures: claim.failures + Number(!result.ok && resentState === null),
      httpStatus: result.httpStatus,
      error,
      latencyMs,
      endedAt,
      ended,
    });
    if (ended === null) this.#count(result, became, latencyMs);
    if (claim.trace !== null) this.#trace(claim, claim.trace, endpoint, result, latencyMs);
    const fields = {
      deliveryId: claim.id,
      event: claim.type,
      surface: style,
      attempt: claim.attempt,
      status: result.httpStatus,
      error: result.ok ? null : result.error,
      ms: latencyMs,
      next: nextAttemptOf(ending) ?? ending.state,
    };
    this.#host.log("delivery.attempted", fields, result.ok);
  }

  /** Records the attempt's span without the receiver's URL, because the URL may contain a secret. */
  #trace(claim: Claim, trace: string, { style }: Endpoint, result: AttemptResult, latencyMs: number): void {
    this.#host.traceAttempt({
      trace,
      latencyMs,
      failed: !result.ok,
      attributes: {
        "gateway.delivery_id": claim.id,
        "gateway.event": claim.type,
        "gateway.surface": style,
        "gateway.attempt": claim.attempt,
        "http.response.status_code": result.httpStatus,
        "error.type": result.ok ? null : result.error,
      },
    });
  }

  #count(result: AttemptResult, became: "delivered" | "given_up" | null, latencyMs: number): void {
    const { counters } = this.#host;
    counters.add("attempts");
    counters.add(result.ok ? `latency.${latencyStep(latencyMs)}` : `error.webhook_${result.error}`);
    if (became !== null) counters.add(became);
  }

  #updateHealth(endpoint: Endpoint, result: AttemptResult, now: number): Endpoint {
    const { endpoints, notices } = this.#deps;
    const health = healthAfter(endpoint.health, result, now);
    const updated = endpoints.setHealth(endpoint, health);
    if (!result.ok) this.#notifyFailing(endpoint, now);
    if (result.ok || updated.disabledAt !== null || !shouldDisable(health, STYLES[endpoint.style].disableAfterMs, now)) return updated;
    const disabled = endpoints.disable(updated, now);
    this.#returnClaims(endpoint.queueId);
    notices.add(disabled, now);
    this.#host.counters.add("disabled");
    this.#host.log("webhook.disabled", { surface: endpoint.style, failingSince: health.firstFailedAt });
    return disabled;
  }

  #notifyFailing({ id, queueId, style }: Endpoint, now: number): void {
    const { endpoints } = this.#deps;
    if (style !== "account" || !endpoints.claimNotice(queueId, Math.floor(now / HOUR_MS))) return;
    void this.#host.notifyFailing(id).catch(() => endpoints.releaseNotice(queueId));
  }

  #returnClaims(queueId: number): void {
    const returned = this.#buffer.takeAll(queueId);
    if (returned.length === 0) return;
    for (const { claim } of returned) this.#deps.queue.unclaim(claim, this.#host.clock());
    this.#deps.slots.invalidate(queueId);
  }
}

export const acceptedNames = (latencyMs: number): string[] => ["attempts", `latency.${latencyStep(latencyMs)}`, "delivered"];

const claimEndOf = ({ timeoutMs }: Endpoint, now: number): number => now + timeoutMs + CLAIM_GRACE_MS;

const nextAttemptOf = (ending: Ending): number | null => ("dueAt" in ending ? ending.dueAt : null);
