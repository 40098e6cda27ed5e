// The delivery engine of one connection: events in, signed POSTs out. Its parts lie beside it in this folder; this is what the
// object sees of them.
import { DeliveryIds } from "../../../src/domain/webhooks/delivery-id.ts";
import type { GatewayFact, InstanceRef } from "../../../src/domain/gateway-event.ts";
import { serializeBody } from "../../../src/domain/webhooks/style/body.ts";
import { type RenderedEvent, render, type RenderContext, type WebhookStyle } from "../../../src/domain/webhooks/style/style.ts";
import { STYLES } from "../../../src/domain/webhooks/style/styles.ts";
import { AccountEndpoints } from "./account-endpoints.ts";
import { ConnectionWebhook } from "./connection-webhook.ts";
import type { Endpoint } from "./endpoints.ts";
import { LaneBounds } from "./lane-bounds.ts";
import { type Parts, partsOf } from "./parts.ts";
import { type NewCopy, STATE } from "./queue.ts";
import type { DeliveryWorld } from "./world.ts";

/** While anything is in flight the object must be woken should it die; on a grid, so that the alarm is not moved for each event. */
const WATCH_EVERY_MS = 20_000;

export class Deliveries {
  readonly account: AccountEndpoints;
  readonly webhook: ConnectionWebhook;
  readonly #world: DeliveryWorld;
  readonly #parts: Parts;
  readonly #bounds: LaneBounds;
  readonly #ids: DeliveryIds;
  #watchAt: number | null = null;

  constructor(world: DeliveryWorld) {
    this.#world = world;
    this.#parts = partsOf(world);
    this.#ids = new DeliveryIds(world.connection);
    this.#bounds = new LaneBounds(world, this.#parts.endpoints, this.#parts.lanes);
    this.webhook = new ConnectionWebhook(world, this.#parts);
    this.account = new AccountEndpoints(world, this.#parts);
    this.#parts.queue.adoptOrphans(world.clock());
  }

  /**
   * Stores the deliveries of these facts, in the caller's synchronous block. The same `src` never makes a second delivery.
   * Nothing leaves before `start`.
   */
  enqueue(facts: readonly GatewayFact[], face: InstanceRef, now: number): void {
    this.#parts.dispatcher.beginStoring();
    const scene: RenderContext = { instance: face, appUrl: this.#world.appUrl, networkSuffix: this.#world.networkSuffix };
    let stored = 0;
    for (const style of Object.values(STYLES)) {
      const endpoints = this.#parts.endpoints.of(style.name).filter(({ active }) => active);
      if (endpoints.length === 0) continue;
      for (const fact of facts) {
        render(style, fact.event, scene).forEach((rendered, index) => {
          stored += this.#store(
            style,
            endpoints,
            { ...rendered, dedupeKey: rendered.dedupeKey ?? `${fact.src}#${index}` },
            fact.at,
            face,
            now,
          );
        });
      }
    }
    if (stored === 0) return;
    this.#parts.upkeep.stored();
    this.#bounds.stored(stored, now);
  }

  /** Starts first attempts; call it after `enqueue`, in the same invocation. Waits for none of them. */
  start(): void {
    this.#parts.dispatcher.dispatchStored();
  }

  /** When `run` wants to be called (Unix ms); null: never, as things are. */
  nextDue(now: number): number | null {
    const { dispatcher, lanes, notices, upkeep } = this.#parts;
    if (dispatcher.hasStartable) return now;
    if (this.#watchAt === null && lanes.inFlight > 0) this.#watchAt = Math.ceil(now / WATCH_EVERY_MS + 1) * WATCH_EVERY_MS;
    const times = [this.#watchAt, lanes.nextDue(), notices.nextDue(), upkeep.nextDue(now)].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The alarm's part: starts what is due and tidies a slice. Returns in milliseconds; safe to call early or twice. */
  run(now: number): void {
    const { dispatcher, lanes, notices, queue, upkeep } = this.#parts;
    if (this.#watchAt !== null && this.#watchAt <= now) {
      this.#watchAt = null;
      for (const lane of queue.reclaimExpired(now)) lanes.changed(lane);
    }
    upkeep.run(now);
    notices.run(now);
    dispatcher.dispatch();
  }

  #store(
    style: WebhookStyle,
    endpoints: readonly Endpoint[],
    rendered: Required<RenderedEvent>,
    at: number,
    face: InstanceRef,
    now: number,
  ): number {
    const { dispatcher, lanes, queue } = this.#parts;
    const { type } = rendered;
    const copies = endpoints
      .filter(({ events }) => events.includes(type))
      // A disabled webhook's events are kept for a resend, as long as there is room for all of them.
      .filter(({ disabledAt }) => disabledAt === null || this.#bounds.isRoomy())
      .map((endpoint): NewCopy => {
        const { lane, disabledAt } = endpoint;
        const id = this.#ids.of(lane, type, rendered.dedupeKey);
        return { id, lane, skipped: disabledAt !== null, leaseUntil: dispatcher.leaseNew(endpoint, now) };
      });
    if (copies.length === 0) return 0;
    const text = serializeBody(style, type, at, rendered.data, face);
    const stored = queue.add(type, text, copies, now);
    for (const { seq, id, lane, skipped, leaseUntil } of stored) {
      if (leaseUntil !== null) dispatcher.storedAsClaimed({ seq, id, lane, type, attempt: 1, failures: 0, log: null, text }, now);
      else if (!skipped) lanes.added(lane, STATE.fresh, now);
    }
    return copies.length;
  }
}
