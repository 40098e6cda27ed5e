// A receiver used by a very large number of connections is down for hours, then recovers.
import { expect, it } from "vitest";
import {
  afterAttempt,
  type AttemptResult,
  concurrencyFor,
  healthAfter,
  pauseAfter,
  type ReceiverHealth,
} from "@gateway/domain/webhooks/delivery.ts";
import { CONNECTION_STYLE } from "@gateway/domain/webhooks/style/connection.ts";
import { ratesOf, report } from "./support/rates.ts";
import { START, VirtualTime } from "./support/virtual-time.ts";

const OBJECTS = 10_000;
const EVENTS_BEFORE = 10;
const EVENTS_AFTER = 2;
const BACK = START + 308_000;
const ANSWER_MS = 50;
const SCHEDULE = { delaysS: CONNECTION_STYLE.delaysS, retries: CONNECTION_STYLE.delaysS.length };

type Waiting = { id: string; failures: number; dueAt: number };
type Made = { object: number; at: number; dueAt: number };

/** One connection's queue: starts due deliveries as its receiver's health permits. */
class Lane {
  readonly #object: number;
  readonly #time: VirtualTime;
  readonly #attempt: (made: Made) => AttemptResult;
  #health: ReceiverHealth = { firstFailedAt: null, lastFailedAt: null, lastSuccessAt: null, unreachable: 0, recovering: 0 };
  #waiting: Waiting[] = [];
  #running = 0;
  #pausedUntil = 0;

  constructor(object: number, time: VirtualTime, attempt: (made: Made) => AttemptResult) {
    this.#object = object;
    this.#time = time;
    this.#attempt = attempt;
  }

  get left(): number {
    return this.#waiting.length + this.#running;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#time.at(waiting.dueAt, () => this.start());
  }

  start(): void {
    const { now } = this.#time;
    if (now < this.#pausedUntil) return;
    while (this.#running < concurrencyFor(this.#health)) {
      const index = this.#waiting.findIndex(({ dueAt }) => dueAt <= now);
      const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (next === undefined) return;
      this.#running += 1;
      const result = this.#attempt({ object: this.#object, at: now, dueAt: next.dueAt });
      this.#time.after(ANSWER_MS, () => this.#end(next, result));
    }
  }

  #end(delivery: Waiting, result: AttemptResult): void {
    const { now } = this.#time;
    this.#running -= 1;
    const pauseMs = pauseAfter(this.#health, result);
    if (pauseMs > 0) this.#pausedUntil = now + pauseMs;
    this.#time.after(pauseMs, () => this.start());
    this.#health = healthAfter(this.#health, result, now);
    const next = afterAttempt(delivery.id, delivery.failures, result, SCHEDULE, now);
    if (next.state === "waiting") this.add({ ...delivery, failures: delivery.failures + 1, dueAt: next.dueAt });
  }
}

it("each object sends a recovered receiver at most one request in its first second", () => {
  const time = new VirtualTime();
  const made: Made[] = [];
  const attempt = (one: Made): AttemptResult => {
    made.push(one);
    return one.at < BACK ? { ok: false, httpStatus: 503, error: "not_2xx" } : { ok: true, httpStatus: 200 };
  };
  const lanes = Array.from({ length: OBJECTS }, (_, object) => new Lane(object, time, attempt));
  lanes.forEach((lane, object) => {
    // When the receiver recovers, the retries due five minutes after the first attempts coincide with new events.
    for (let n = 0; n < EVENTS_BEFORE; n += 1) lane.add({ id: `msg_${object}_${n}`, failures: 0, dueAt: START + (object % 500) });
    for (let n = 0; n < EVENTS_AFTER; n += 1)
      lane.add({ id: `msg_${object}_new${n}`, failures: 0, dueAt: BACK + n * 300 + (object % 300) });
  });
  // The attempt made before the receiver's recovery is repeated after half an hour.
  time.runUntil(BACK + 32 * 60_000);
  const after = made.filter(({ at }) => at >= BACK);
  const firstSecond = new Map<number, number>();
  for (const { object, at } of after) if (at < BACK + 1_000) firstSecond.set(object, (firstSecond.get(object) ?? 0) + 1);
  const most = [...firstSecond.values()].reduce((one, other) => Math.max(one, other), 0);
  const late = after.reduce((latest, { at, dueAt }) => Math.max(latest, at - Math.max(dueAt, BACK)), 0);
  report(`a receiver down for five minutes, ${OBJECTS} objects`, {
    "requests of an object in the first second": most,
    "objects in the first second": firstSecond.size,
    "busiest second": ratesOf(after.map(({ at }) => at)).busiest,
    "latest start after its due time (ms)": late,
  });
  expect(most).toBe(1);
  expect(firstSecond.size).toBeGreaterThan(OBJECTS / 2);
  expect(late).toBeLessThanOrEqual(60_000);
  expect(lanes.every(({ left }) => left === 0)).toBe(true);
});
