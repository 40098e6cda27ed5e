// Webhook delivery of one connection, from stored events to signed POSTs. This is the folder's entry point.
import { gridOf } from "@gateway/domain/spread.ts";
import { DeliveryIds } from "@gateway/domain/webhooks/delivery-ids.ts";
import type { GatewayFact, InstanceRef } from "@gateway/domain/gateway-event.ts";
import { HOUR_MS, earliest } from "@gateway/protocol/units.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";
import type { Participant } from "../commit-handler.ts";
import { ClaimBuffer } from "./claim-buffer.ts";
import { FirstAttempts } from "./first-attempts.ts";
import { AccountEndpoints } from "./account-endpoints.ts";
import { ConnectionWebhook } from "./connection-webhook.ts";
import { Deadlines } from "./deadlines.ts";
import { acceptedNames, Dispatcher } from "./dispatcher.ts";
import { type Endpoint, Endpoints } from "./endpoints.ts";
import { History } from "./history.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import { AttemptSlots } from "./attempt-slots.ts";
import { QueueLimiter } from "./queue-limiter.ts";
import { Notices } from "./notices.ts";
import { newClaim, type NewCopy, Queue } from "./queue.ts";
import { type RenderedBody, renderBodies } from "./rendered-bodies.ts";
import { STATE } from "./states.ts";
import { Resends } from "./resends.ts";
import { Secrets } from "./secrets.ts";
import { DeliveryCleanUp } from "./delivery-clean-up.ts";

/** While an attempt is in flight, the alarm is set this far ahead, in case the object is evicted. */
const WATCH_AFTER_MS = 30_000;

export class Deliveries {
  readonly account: AccountEndpoints;
  readonly webhook: ConnectionWebhook;
  readonly dispatcher: Dispatcher;
  readonly history: History;
  readonly participants: readonly Participant[];
  readonly #host: DeliveryHost;
  readonly #endpoints: Endpoints;
  readonly #queue: Queue;
  readonly #slots: AttemptSlots;
  readonly #limiter: QueueLimiter;
  readonly #notices: Notices;
  readonly #cleanUp: DeliveryCleanUp;
  readonly #ids: DeliveryIds;
  #watchAt: number | null = null;
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(host: DeliveryHost) {
    const { sql, clock } = host;
    const endpoints = new Endpoints(sql);
    const secrets = new Secrets(sql, host.vault);
    const first = new FirstAttempts(sql);
    const queue = new Queue(sql, first);
    const slots = new AttemptSlots(endpoints, queue, host.isSuspended, clock, host.catchUp);
    const notices = new Notices(host);
    const resends = new Resends(sql, endpoints, slots);
    const history = new History(sql);
    const deadlines = new Deadlines(clock);
    const buffer = new ClaimBuffer();
    const dispatcher = new Dispatcher(host, { endpoints, secrets, queue, slots, buffer, notices, deadlines });
    this.#host = host;
    this.#endpoints = endpoints;
    this.#queue = queue;
    this.#slots = slots;
    this.#limiter = new QueueLimiter(host, endpoints, slots);
    this.#notices = notices;
    this.#cleanUp = new DeliveryCleanUp(
      sql,
      { counters: host.counters, endpoints, secrets, slots, notices, resends, times: host.times },
      gridOf(host.connection, HOUR_MS),
    );
    this.dispatcher = dispatcher;
    this.participants = [buffer, first, slots, this.#limiter];
    this.#ids = new DeliveryIds(host.connection);
    this.history = history;
    const deps = { endpoints, secrets, slots, history, resends, deadlines, dispatcher };
    this.webhook = new ConnectionWebhook(host, deps);
    this.account = new AccountEndpoints(host, deps);
    queue.reclaimOrphans(clock());
    host.counters.recover((after) =>
      queue.acceptedAfter(after).map(({ latencyMs, ...end }) => ({ ...end, names: acceptedNames(latencyMs) })),
    );
  }

  /** Stores deliveries in the caller's transaction, one per `key`. `dispatcher.dispatchStored` sends them. */
  enqueue(facts: readonly GatewayFact[], instance: InstanceRef, now: number): void {
    const context: RenderContext = { instance, appUrl: this.#host.appUrl, networkSuffix: this.#host.networkSuffix };
    let stored = 0;
    for (const style of Object.values(STYLES)) {
      const endpoints = this.#endpoints.ofStyle(style.name).filter(({ active }) => active);
      if (endpoints.length === 0) continue;
      const isWanted = (type: string) => endpoints.some(({ events }) => events.includes(type));
      for (const fact of facts) {
        for (const body of renderBodies(style, fact, context, "deliveries", isWanted))
          stored += this.#store(endpoints, body, fact.trace ?? null, now);
      }
    }
    if (stored === 0) return;
    this.#cleanUp.stored();
    this.#host.onStored();
    this.#limiter.checkAfterStoring(stored, now);
  }

  /** Cancels running attempts without counting them. Nothing is delivered until `resume`. */
  suspend(): void {
    for (const { queueId } of this.#endpoints.all()) this.dispatcher.cancelAttempts(queueId);
  }

  /** Waiting deliveries become due, and failures from before the suspension no longer count. */
  resume(): void {
    for (const endpoint of this.#endpoints.all()) this.#endpoints.forgetFailures(endpoint);
    this.#slots.endWait();
    this.dispatcher.dispatch();
    this.#host.rearm();
  }

  clockSetBack(now: number): void {
    this.#host.times.clockSetBack();
    this.#host.catchUp.clockSetBack(now);
    this.#slots.clockSetBack();
    this.#notices.clockSetBack();
    this.#cleanUp.clockSetBack();
    this.#watchAt = null;
  }

  get waiting(): number {
    return this.#queue.waiting();
  }

  nextDue(now: number): number | null {
    if (this.dispatcher.hasStartable) return now;
    return earliest([this.#watch(now), this.#slots.nextDue(), this.#notices.nextDue(), this.#cleanUp.nextDue(now)]);
  }

  /** Starts due attempts and runs a slice of upkeep. Returns within milliseconds, and may be called early or twice. */
  run(now: number): void {
    if (this.#watchAt !== null && this.#watchAt <= now) {
      this.#watchAt = null;
      for (const queueId of this.#queue.reclaimExpired(now)) this.#slots.invalidate(queueId);
    }
    this.#cleanUp.run(now);
    this.#notices.run(now);
    this.dispatcher.dispatch();
  }

  /** When the alarm must fire if the object is evicted. Deliveries in quick succession share it, because an alarm costs a wake-up. */
  #watch(now: number): number | null {
    if (this.dispatcher.isBusy || this.#queue.hasFirstAttempts) return (this.#watchAt ??= now + WATCH_AFTER_MS);
    if (this.#watchAt !== null && now - this.#clearedAt >= WATCH_AFTER_MS) {
      this.#watchAt = null;
      this.#clearedAt = now;
    }
    return this.#watchAt;
  }

  #store(endpoints: readonly Endpoint[], { type, dedupeKey, text }: RenderedBody, trace: string | null, now: number): number {
    const copies = endpoints
      .filter(({ events }) => events.includes(type))
      // Stores events for a disabled webhook while there is space, so that they can be resent.
      .filter(({ disabledAt, queueId }) => disabledAt === null || this.#limiter.hasSpaceFor(queueId))
      .map((endpoint): NewCopy => {
        const { queueId, disabledAt } = endpoint;
        const id = this.#ids.of(queueId, type, dedupeKey);
        return { id, queueId, skipped: disabledAt !== null, claimedUntil: this.dispatcher.claimEndForNew(endpoint, now) };
      });
    if (copies.length === 0) return 0;
    const stored = this.#queue.add(type, text, copies, now, trace);
    this.#host.counters.add("deliveries", stored.length);
    this.#host.counters.add("given_up", stored.filter(({ skipped }) => skipped).length);
    for (const { seq, id, queueId, skipped, claimedUntil } of stored) {
      if (claimedUntil !== null) this.dispatcher.addClaimed(newClaim({ seq, id, queueId, type, text, trace }), now);
      else if (skipped) this.#limiter.noteSkipped(queueId, text.length);
      else this.#slots.noteAdded(queueId, STATE.fresh, now);
    }
    return copies.length;
  }
}
