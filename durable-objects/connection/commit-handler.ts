// Applies a session's commit, or a trigger, in one transaction. The output gate holds responses until it is durable.
import type { GatewayFact, InstanceRef } from "@gateway/domain/gateway-event.ts";
import type { Effect } from "@gateway/domain/instance/state.ts";
import { hasChangedNumber, hasReconnected, isAwayForLong, type Trigger } from "@gateway/domain/instance/advance.ts";
import type { KeyedEvent, SendSettled } from "@gateway/protocol/events.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { StateRow } from "@gateway/protocol/session-socket.ts";
import { errorFields, log } from "#root/src/log.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import type { NumberedFact, RecentFacts } from "./streams/recent-facts.ts";
import type { EventProjection } from "./projection/event-projection.ts";
import type { Instance } from "./instance/instance.ts";
import type { CommitProgress } from "./session/commit-progress.ts";
import type { Counters } from "./statistics/counters.ts";
import type { StateRows } from "./session/state-rows.ts";

/**
 * A component with in-memory state that a transaction can change. `components/commits.ts` lists all of them, and
 * `test/worker/session/rolled-back.test.ts` compares an object after a rollback with a new one.
 */
export type Participant = {
  committed?(): void;
  /** Drops the transaction's changes from memory. */
  rolledBack(): void;
  /** Returns a function that drops the changes made since the call, for an event or fact that is skipped. */
  savepoint?(): () => void;
};

export type CommitHandlerDependencies = {
  storage: DurableObjectStorage;
  participants: readonly Participant[];

  // Changed within the transaction.
  stateRows: StateRows;
  progress: CommitProgress;
  counters: Counters;
  instance: Instance;
  projection: EventProjection;
  sends: {
    storeMentioned(events: readonly KeyedEvent[]): void;
    confirm(messageIds: readonly string[], now: number): void;
    recount(messageId: string, failure: Failure | null, now: number): void;
    settle(event: SendSettled, now: number): GatewayFact[];
  };

  // Told about the facts: `enqueue`, `store` and `newestOf` run within the transaction, the others after it.
  instanceRef: () => InstanceRef;
  deliveries: {
    enqueue(facts: readonly GatewayFact[], instance: InstanceRef, now: number): void;
    dispatcher: { dispatchStored(): void };
  };
  listeners: { store(facts: readonly GatewayFact[], instance: InstanceRef, now: number): void; emit(): void };
  notifications: { store(facts: readonly GatewayFact[], now: number): void; run(now: number): void };
  recent: Pick<RecentFacts, "add" | "newestOf">;
  watchers: { emit(facts: readonly NumberedFact[]): void };
  eventStreams: { emit(facts: readonly NumberedFact[]): void };
  automations: { onFacts(facts: readonly GatewayFact[], now: number): void };
  /** Called with the events after the transaction, because cached reads may be stale. */
  onApplied(events: readonly KeyedEvent[]): void;

  // Told within the transaction that the instance's state has changed.
  /** Called each time the number connects. */
  onConnected(now: number): void;
  onReconnected(now: number): void;
  onAwayForLong(now: number): void;
  onNumberChanged(now: number): void;
};

export type Commit = {
  /** Null if there is no session, or its device was unlinked. The progress then does not advance. */
  seq: number | null;
  rows: readonly StateRow[];
  events: KeyedEvent[];
  /** False for a commit from an ended session. */
  current: boolean;
};

type BlockResult = { effects: readonly Effect[]; facts: readonly GatewayFact[]; seq?: number };
const EMPTY_RESULT: BlockResult = { effects: [], facts: [] };

export class CommitHandler {
  readonly #deps: CommitHandlerDependencies;

  constructor(deps: CommitHandlerDependencies) {
    this.#deps = deps;
  }

  /** Applies one trigger to the instance's state. The caller performs the effects, except for deleting credentials. */
  step(trigger: Trigger, now: number): readonly Effect[] {
    return this.#transact(() => this.#steps([trigger], now), now);
  }

  /** Applies a commit. Throws only if its state rows cannot be stored or the disk is full, and then stores nothing. */
  commit(commit: Commit, now: number): readonly Effect[] {
    const { current, events } = commit;
    const apply = (each: boolean) => (each ? this.#applyEach(events, current, now) : this.#apply(events, current, now));
    return this.#transact((each) => this.#commit(commit, () => apply(each), now), now, events);
  }

  /** Stores facts that do not come from the network. `facts` runs in the transaction. */
  report(facts: () => GatewayFact[], now: number): void {
    this.#transact(() => ({ effects: [], facts: facts() }), now);
    this.#notifyEach({ applied: () => this.#deps.onApplied([]) });
  }

  change(run: () => void, now: number): void {
    this.#transact(() => {
      run();
      return EMPTY_RESULT;
    }, now);
  }

  #commit({ seq, rows, events }: Commit, apply: () => BlockResult, now: number): BlockResult {
    this.#deps.stateRows.write(rows, now);
    const result = events.length === 0 ? EMPTY_RESULT : apply();
    return seq === null ? result : { ...result, seq };
  }

  /** Runs the block and stores its deliveries in one transaction, then notifies the receivers. Throws after a rollback. */
  #transact(run: (each: boolean) => BlockResult, now: number, events: readonly KeyedEvent[] = []): readonly Effect[] {
    let stored: BlockResult;
    let parts = events.length;
    const runAsWhole = () => {
      const result = run(false);
      parts += result.facts.length;
      return result;
    };
    try {
      stored = this.#stored(runAsWhole, false, now);
    } catch (error) {
      if (parts === 0 || isStorageFailure(error)) throw error;
      log("session.commit_retried", { connection: this.#deps.instanceRef().uuid, ...errorFields(error) });
      // An event that throws must not block the number, because the bridge would resend its commit. Each event is stored alone or skipped.
      stored = this.#stored(() => run(true), true, now);
    }
    for (const participant of this.#deps.participants) participant.committed?.();
    this.#notify(stored.facts, events, now);
    return stored.effects;
  }

  #stored(run: () => BlockResult, each: boolean, now: number): BlockResult {
    const { counters, storage, progress, recent, stateRows } = this.#deps;
    try {
      return storage.transactionSync(() => {
        const result = run();
        if (result.facts.length > 0) this.#storeFacts(result.facts, each, now);
        progress.store({
          seq: result.seq ?? null,
          counts: counters.take(now),
          ...stateRows.take(),
          facts: recent.newestOf(result.facts.length, now),
        });
        return result;
      });
    } catch (error) {
      for (const participant of this.#deps.participants) participant.rolledBack();
      throw error;
    }
  }

  /** With `each`, a receiver that cannot store one fact still gets the others, and the other receivers get all of them. */
  #storeFacts(facts: readonly GatewayFact[], each: boolean, now: number): void {
    const { deliveries, instanceRef, listeners, notifications } = this.#deps;
    const instance = instanceRef();
    const receivers = {
      deliveries: (some: readonly GatewayFact[]) => deliveries.enqueue(some, instance, now),
      listeners: (some: readonly GatewayFact[]) => listeners.store(some, instance, now),
      notifications: (some: readonly GatewayFact[]) => notifications.store(some, now),
    };
    for (const [receiver, store] of Object.entries(receivers)) {
      if (!each) store(facts);
      else for (const fact of facts) this.#separately(() => store([fact]), { type: fact.event.type, receiver });
    }
  }

  /** Undoes only this part of the transaction if it throws, logs the exception, and returns null. */
  #separately<T>(part: () => T, about: { type: string; receiver?: string }): T | null {
    const undo = this.#deps.participants.map((participant) => participant.savepoint?.());
    try {
      return this.#deps.storage.transactionSync(part);
    } catch (error) {
      // Rethrows if the disk is full. Smaller writes may still fit, but nothing may be skipped for lack of space.
      if (isStorageFailure(error)) throw error;
      for (const drop of undo) drop?.();
      log("session.event_failed", { connection: this.#deps.instanceRef().uuid, ...about, ...errorFields(error) });
      return null;
    }
  }

  #notify(facts: readonly GatewayFact[], events: readonly KeyedEvent[], now: number): void {
    const { listeners, deliveries, eventStreams, notifications, automations, recent, watchers } = this.#deps;
    const numbered = recent.add(facts, now);
    const ofFacts = {
      deliveries: () => deliveries.dispatcher.dispatchStored(),
      watchers: () => watchers.emit(numbered),
      eventStreams: () => eventStreams.emit(numbered),
      listeners: () => listeners.emit(),
      notifications: () => notifications.run(now),
      automations: () => automations.onFacts(facts, now),
    };
    this.#notifyEach({ ...(events.length > 0 && { applied: () => this.#deps.onApplied(events) }), ...(facts.length > 0 && ofFacts) });
  }

  /** The transaction is already committed, so an exception is only logged, and the other listeners are still notified. */
  #notifyEach(calls: Readonly<Record<string, () => void>>): void {
    for (const [listener, notify] of Object.entries(calls)) {
      try {
        notify();
      } catch (error) {
        log("session.notify_failed", { connection: this.#deps.instanceRef().uuid, listener, ...errorFields(error) });
      }
    }
  }

  #applyEach(events: KeyedEvent[], current: boolean, now: number): BlockResult {
    const each = events.map(
      (event) => this.#separately(() => this.#apply([event], current, now), { type: event.event.type }) ?? EMPTY_RESULT,
    );
    return { effects: each.flatMap((one) => one.effects), facts: each.flatMap((one) => one.facts) };
  }

  #apply(events: KeyedEvent[], current: boolean, now: number): BlockResult {
    const { counters, projection, sends } = this.#deps;
    sends.storeMentioned(events);
    const applied = projection.apply(events, now, (event) => sends.settle(event, now));
    const { facts, received, sessionEvents, confirmedSends, recountedSends, profileName } = applied;
    for (const type of received) counters.add(`received.${type}`);
    sends.confirm(confirmedSends, now);
    for (const { messageId, failure } of recountedSends) sends.recount(messageId, failure, now);
    const triggers = sessionEvents.map((event): Trigger => ({ type: "session", event }));
    if (profileName !== undefined) triggers.push({ type: "profile", name: profileName });
    // An ended session no longer changes the instance's state, but its messages are still stored.
    const steps = current ? this.#steps(triggers, now) : EMPTY_RESULT;
    return { effects: steps.effects, facts: [...facts, ...steps.facts] };
  }

  #steps(triggers: readonly Trigger[], now: number): BlockResult {
    const { instance, counters } = this.#deps;
    const effects: Effect[] = [];
    const facts: GatewayFact[] = [];
    for (const trigger of triggers) {
      const before = instance.state;
      const step = instance.apply(trigger, now);
      const after = instance.state;
      counters.setConnected(after.connectedAt !== null, now);
      if (before.connectedAt === null && after.connectedAt !== null) this.#deps.onConnected(now);
      if (hasReconnected(before, after)) this.#deps.onReconnected(now);
      if (isAwayForLong(before, after)) this.#deps.onAwayForLong(now);
      if (hasChangedNumber(before, after)) this.#deps.onNumberChanged(now);
      if (step.effects.some((effect) => effect.type === "wipe")) this.#deps.stateRows.wipe();
      effects.push(...step.effects);
      facts.push(...step.facts);
    }
    return { effects, facts };
  }
}
