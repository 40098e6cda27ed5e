// Everything that a bridge reports or a trigger changes goes through here, in one synchronous block: state rows, what the
// events mean, sends that ended, the instance's state, deliveries. What is answered afterwards is durable (output gate).
import type { GatewayFact, InstanceRef } from "../../src/domain/gateway-event.ts";
import type { Effect } from "../../src/domain/instance/state.ts";
import { hasGivenUp, hasReconnected, type Trigger } from "../../src/domain/instance/advance.ts";
import type { KeyedEvent, SendSettled } from "../../src/protocol/events.ts";
import type { StateRow } from "../../src/protocol/session-socket.ts";
import { errorFields, log } from "../../src/log.ts";
import type { Ingest } from "./ingest.ts";
import type { Instance } from "./session/instance.ts";
import type { Progress } from "./session/progress.ts";
import type { StateRows } from "./session/state-rows.ts";

export type IntakeParts = {
  storage: DurableObjectStorage;
  rows: StateRows;
  progress: Progress;
  instance: Instance;
  ingest: Ingest;
  outbox: {
    confirm(messageIds: readonly string[]): void;
    settle(event: SendSettled, now: number): GatewayFact[];
    /** The block stands: tell those who wait. `false`: it was rolled back, forget what it settled. */
    conclude(stands: boolean): void;
  };
  deliveries: { enqueue(facts: readonly GatewayFact[], face: InstanceRef, now: number): void; start(): void };
  /** Those who look on hear of it when it is durable. */
  watchers: { tell(facts: readonly GatewayFact[]): void };
  listeners: { tell(facts: readonly GatewayFact[]): void };
  face: () => InstanceRef;
  /** The facts of a block that stands. */
  orders: { heard(facts: readonly GatewayFact[], now: number): void };
  /** The number is connected again after it had lost its session. */
  reconnected(now: number): void;
  /** It will not come back by itself. */
  gaveUp(now: number): void;
};

/** One commit of a session. `seq` null: it does not count (its session was unlinked). `current`: its session is the instance's. */
export type Commit = { seq: number | null; rows: readonly StateRow[]; events: KeyedEvent[]; current: boolean };

type Done = { effects: readonly Effect[]; facts: readonly GatewayFact[] };
const NOTHING: Done = { effects: [], facts: [] };

export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** One step of the instance; the effects are the caller's to carry out, but for the wiping of credentials. */
  step(trigger: Trigger, now: number): readonly Effect[] {
    return this.#block(() => this.#steps([trigger], now), now);
  }

  /** Throws only when the commit's rows cannot be stored; nothing of it is stored then. */
  commit(commit: Commit, now: number): readonly Effect[] {
    try {
      return this.#block(() => this.#commit(commit, (events) => this.#apply(events, commit.current, now), now), now);
    } catch (error) {
      if (commit.events.length === 0) throw error;
      // One event that breaks must not stop a number for ever: each is tried alone, and the broken one is named and left out.
      return this.#block(() => this.#commit(commit, (events) => this.#applyEach(events, commit.current, now), now), now);
    }
  }

  #commit({ seq, rows, events }: Commit, apply: (events: KeyedEvent[]) => Done, now: number): Done {
    this.#parts.rows.write(rows, now);
    const done = events.length === 0 ? NOTHING : apply(events);
    if (seq !== null) this.#parts.progress.reach(seq);
    return done;
  }

  /** Runs the block, stores its facts as deliveries with it, and tells of them. */
  #block(run: () => Done, now: number): readonly Effect[] {
    const { effects, facts } = this.#stored(run, now);
    this.#parts.outbox.conclude(true);
    if (facts.length > 0) this.#tell(facts, now);
    return effects;
  }

  /** Throws when nothing of the block was stored. */
  #stored(run: () => Done, now: number): Done {
    const { storage, deliveries, face, progress } = this.#parts;
    const { seq } = progress;
    try {
      return storage.transactionSync(() => {
        const done = run();
        if (done.facts.length > 0) deliveries.enqueue(done.facts, face(), now);
        return done;
      });
    } catch (error) {
      this.#rolledBack(seq);
      throw error;
    }
  }

  /** The block stands, whatever becomes of this: one that cannot be told must not keep the others from hearing. */
  #tell(facts: readonly GatewayFact[], now: number): void {
    const { deliveries, listeners, orders, watchers } = this.#parts;
    const tellings = {
      deliveries: () => deliveries.start(),
      watchers: () => watchers.tell(facts),
      listeners: () => listeners.tell(facts),
      orders: () => orders.heard(facts, now),
    };
    for (const [whom, tell] of Object.entries(tellings)) {
      try {
        tell();
      } catch (error) {
        log("session.not_told", { whom, ...errorFields(error) });
      }
    }
  }

  #rolledBack(seq: number): void {
    const { rows, progress, instance, outbox } = this.#parts;
    rows.forget();
    progress.fallBack(seq);
    instance.reload();
    outbox.conclude(false);
  }

  #applyEach(events: KeyedEvent[], current: boolean, now: number): Done {
    const each = events.map((event) => {
      try {
        return this.#parts.storage.transactionSync(() => this.#apply([event], current, now));
      } catch (error) {
        this.#parts.instance.reload();
        log("session.event_failed", { type: event.event.type, key: event.key, ...errorFields(error) });
        return NOTHING;
      }
    });
    return { effects: each.flatMap((one) => one.effects), facts: each.flatMap((one) => one.facts) };
  }

  #apply(events: KeyedEvent[], current: boolean, now: number): Done {
    const { ingest, outbox } = this.#parts;
    const { facts, session, confirmed, profileName } = ingest.apply(events, now, (event) => outbox.settle(event, now));
    outbox.confirm(confirmed);
    const triggers = session.map((event): Trigger => ({ type: "session", event }));
    if (profileName !== undefined) triggers.push({ type: "profile", name: profileName });
    // What an ended session still says of itself is not the instance's state any more; its messages are as good as any.
    const steps = current ? this.#steps(triggers, now) : NOTHING;
    return { effects: steps.effects, facts: [...facts, ...steps.facts] };
  }

  #steps(triggers: readonly Trigger[], now: number): Done {
    const effects: Effect[] = [];
    const facts: GatewayFact[] = [];
    for (const trigger of triggers) {
      const before = this.#parts.instance.state;
      const step = this.#parts.instance.apply(trigger, now);
      if (hasReconnected(before, this.#parts.instance.state)) this.#parts.reconnected(now);
      if (hasGivenUp(before, this.#parts.instance.state)) this.#parts.gaveUp(now);
      if (step.effects.some((effect) => effect.type === "wipe")) this.#parts.rows.wipe();
      effects.push(...step.effects);
      facts.push(...step.facts);
    }
    return { effects, facts };
  }
}
