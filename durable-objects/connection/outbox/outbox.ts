// Outgoing messages. A send is stored before it is handed to the network's line and settled by an event, so that after a crash its
// outcome is recalled, never guessed (docs/internals/sends.md, "Steps of a send"). Only this class dispatches a send again.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { Grid } from "@gateway/domain/spread.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, SendSettled } from "@gateway/protocol/events.ts";
import { fail, type Failure, type FailureCode, type Outcome, type Replayable, succeed } from "@gateway/protocol/failures.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { Counters } from "../statistics/counters.ts";
import { countedAs, endWith, resultOf, uncertainOutcome } from "./outcomes.ts";
import { PendingMessages } from "./pending-messages.ts";
import { OutboxRows, RECALL_WINDOW_MS, type SendDetails, type SendResult, type SendRow } from "./rows.ts";
import { SendWaiters } from "./send-waiters.ts";
import { SEND_TIMEOUTS, sendTimeoutMs } from "@gateway/protocol/send-timeout.ts";
import { batchesOf } from "#root/src/services/batches.ts";
import { isStorageFailure } from "#root/src/services/object-stubs.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";

const RECALL_BATCH = 500;

const NO_SESSION_FAILURE: Failure = { code: "unavailable", retryAfter: 2 };
/** Refusals by which the send never reached the network: no event is emitted, and a waiting caller may retry. */
const NO_SESSION_CODES: ReadonlySet<FailureCode> = new Set(["unavailable", "instance_reconnecting", "instance_not_connected"]);

/**
 * What the outbox needs of the network, of either kind. `Line` is one way to it at one time, as a session's socket is, and is compared by
 * identity alone: what was handed to another one may have been lost.
 */
export type SendLink<Line extends object = object> = {
  /** Whether a bridge wakes the object after a crash, by dialling again. Otherwise an alarm has to. */
  readonly isRedialled: boolean;
  ready(now: number, deadlineAt: number): Promise<Outcome<Line>>;
  /** Null: nothing can be sent now. */
  current(): Line | null;
  generation(): number;
  /** Whether a send that was handed over in this generation, and not written yet, could still be. */
  mayStillWrite(messageId: string, generation: number): boolean;
  /** The session of this generation is being replaced by a newer one. */
  isMovingFrom(generation: number): boolean;
  /** Answered by `send.settled`, as a recall is for each of its ids. */
  send(line: Line, request: SendRequest, deadlineMs: number, trace?: string): void;
  recall(line: Line, messageIds: string[]): void;
  /** Whether it was stored, before the first of this message's bytes could go to the network, that they may go. */
  wasWritten(messageId: string): boolean;
};

type Acknowledged = Extract<SendSettled["outcome"], { kind: "acknowledged" }>;

/** `content` as in the details of the row. */
type Running = { content: string | null; outcome: Promise<Outcome<SendResult>> };

export class Outbox {
  readonly #rows: OutboxRows;
  readonly #linkNow: () => SendLink;
  readonly #projection: OwnSendProjection;
  readonly #pending: PendingMessages;
  readonly #counters: Counters;
  readonly #rearm: () => void;
  /** Sends in progress in this instance, by message id: a repeated one shares the first one's outcome. */
  readonly #running = new Map<string, Running>();
  readonly #waiters = new SendWaiters((id) => this.#expire(id));
  /** Settled within the commit that is being applied. */
  #settled: [messageId: string, outcome: Outcome<SendResult>][] = [];

  /**
   * `link`: that of the connection's kind, which is known once the connection has been created. `days`: its times of clean-up. `rearm`: the
   * next due time has changed while a caller waits.
   */
  constructor(sql: SqlStorage, link: () => SendLink, projection: OwnSendProjection, counters: Counters, days: Grid, rearm: () => void) {
    this.#rearm = rearm;
    this.#counters = counters;
    this.#rows = new OutboxRows(sql, days);
    this.#linkNow = link;
    this.#projection = projection;
    this.#pending = new PendingMessages(this.#rows, projection);
  }

  get #link(): SendLink {
    return this.#linkNow();
  }

  /**
   * Idempotent by message id: returns the outcome of a settled send, shares a running one, and dispatches anew only one that was
   * certainly not sent. Fails `instance_not_connected`, `instance_reconnecting`, `send_outcome_unknown`, `unavailable`, as `existing`
   * does, or as the network refused. `now` in Unix ms.
   */
  send(request: SendRequest, details: SendDetails, now: number): Promise<Replayable<SendResult>> {
    const { message_id: id } = request;
    const { content } = details;
    return this.existing(id, content, now) ?? this.#share(id, content, this.#start(request, details, now));
  }

  /**
   * The outcome of the send with this id, settled or running; null if there is none, or it was certainly not sent. `content` (digest) is
   * given when the caller chose the id: then the outcome is marked as an earlier one's, and `content_differs` when the id stands for
   * something else.
   */
  existing(id: string, content: string | null, now: number): Promise<Replayable<SendResult>> | null {
    const running = this.#running.get(id);
    const known = running === undefined ? this.#rows.find(id) : null;
    if (content === null) return running?.outcome ?? this.#earlier(id, known, now);
    const first = running ?? known?.details;
    const differs = first === undefined ? this.#projection.isStored(id) : first.content !== content;
    if (differs) return Promise.resolve(fail("content_differs", { details: { message_id: id } }));
    const earlier = running?.outcome ?? this.#earlier(id, known, now);
    return earlier?.then((outcome) => ({ ...outcome, replayed: true })) ?? null;
  }

  #earlier(id: string, known: SendRow | null, now: number): Promise<Outcome<SendResult>> | null {
    if (known === null || known.state === "refused" || known.state === "abandoned") return null;
    if (known.outcome !== null) return Promise.resolve(known.outcome);
    return known.state === "asked" ? this.#share(id, known.details.content, this.#resume(known, now)) : null;
  }

  #share(id: string, content: Running["content"], attempt: Promise<Outcome<SendResult>>): Promise<Outcome<SendResult>> {
    const outcome = attempt.finally(() => this.#running.delete(id));
    this.#running.set(id, { content, outcome });
    return outcome;
  }

  /** The request of a send whose outcome is open, or may still turn out better; null for any other. */
  openRequest(id: string): SendRequest | null {
    return this.#unsettled(id)?.request ?? null;
  }

  /** Stores the messages of sends in progress that have no row yet, because somebody may look. */
  storePending(): void {
    this.#pending.storeAll();
  }

  /** The same of those that are reported about, within the block of the commit and before its events are applied. */
  storeMentioned(events: readonly KeyedEvent[]): void {
    this.#pending.storeMentioned(events);
  }

  /** Settles a send, within the block of the commit that reports its outcome. */
  settle({ message_id: id, outcome }: SendSettled, now: number): GatewayFact[] {
    const row = this.#unsettled(id);
    if (row === null) return [];
    switch (outcome.kind) {
      case "acknowledged":
        return this.#sent(row, outcome, now);
      case "refused":
        if (this.#handedBack(row, outcome.failure)) return [];
        return this.#refused(row, NO_SESSION_CODES.has(outcome.failure.code) ? "abandoned" : "refused", outcome.failure, now);
      case "uncertain":
        if (row.state === "asked") this.#uncertain(row, now);
        return [];
      case "unknown":
        return this.#unknown(row, now);
    }
  }

  /** A receipt, or a copy on another device, proves that these were sent. Stores and events have been updated from it already. */
  confirm(messageIds: readonly string[], now: number): void {
    for (const id of messageIds) {
      const row = this.#unsettled(id);
      if (row === null) continue;
      const { chat_id, content } = row.request;
      const type = content.kind === "forward" ? "unknown" : content.kind;
      const value = resultOf(row, { chat_id, type, timestamp: Math.floor(row.askedAt / 1000), to_resolved: null });
      this.#end(row, "sent", succeed(value), now);
    }
  }

  /** A message that the network had accepted has failed after all; `failure` null: that was wrong. The caller's answer stays as it was. */
  recount(messageId: string, failure: Failure | null, now: number): void {
    const row = this.#rows.find(messageId);
    if (row?.outcome?.ok !== true || row.counted === null) return;
    const { type } = row.outcome.value;
    const names = failure === null ? [`sent.${type}`] : [`failed.${type}`, `error.${failure.code}`];
    this.#counters.takeBack(row.counted.at, row.counted.names);
    for (const name of names) this.#counters.add(name);
    this.#rows.recounted(row, { at: now, names });
  }

  /** How many the block of the commit has settled so far. */
  get settled(): number {
    return this.#settled.length;
  }

  /** What the block did after it had settled so many is rolled back. */
  rollBackTo(settled: number): void {
    this.#settled.length = settled;
    this.#pending.resetCache();
    this.#rows.resetCache();
  }

  /** Ends the block of a commit. If it was committed, answers the waiting callers; the output gate holds the answers until it is durable. */
  finishCommit(committed: boolean): void {
    if (!committed) return this.rollBackTo(0);
    const ended = this.#settled;
    this.#settled = [];
    for (const [id, outcome] of ended) this.#waiters.resolve(id, outcome);
  }

  /** The network can be asked, possibly over a new line: recalls what was handed to another one and may have been lost. */
  sessionUp(now: number): void {
    const line = this.#link.current();
    if (line === null || !this.#rows.hasOpen) return;
    const ids = this.#rows
      .unsettled(now - RECALL_WINDOW_MS)
      .filter((row) => this.#waiters.get(row.messageId)?.line !== line)
      .map((row) => row.messageId);
    for (const batch of batchesOf(ids, RECALL_BATCH)) this.#link.recall(line, batch);
  }

  /**
   * Settles what nobody will report about any more: a send of an earlier instance after its deadline, as for a caller; an uncertain one
   * after the recall window, with an event. Within a transaction, as `settle`.
   */
  settleOverdue(now: number): GatewayFact[] {
    return this.#rows.overdue(now).flatMap((row) => {
      if (row.state === "asked") return this.#waiters.has(row.messageId) ? this.#leaveToWaiter(row) : this.#timedOut(row, now);
      const facts = this.#projection.failed(row.messageId, { code: "send_outcome_unknown" }, now);
      this.#end(row, "unproved", uncertainOutcome(row), now);
      return facts;
    });
  }

  /** Its caller waits, with a deadline of its own. */
  #leaveToWaiter({ messageId }: SendRow): GatewayFact[] {
    this.#rows.waitedFor(messageId);
    return [];
  }

  hasOverdue(now: number): boolean {
    return this.#rows.overdue(now).length > 0;
  }

  clockSetBack(now: number): void {
    this.#rows.resetCache();
    this.#waiters.followClock(now);
  }

  nextDue(): number | null {
    return this.#rows.nextDue();
  }

  run(now: number): void {
    this.#rows.run(now);
  }

  async #start(request: SendRequest, details: SendDetails, now: number): Promise<Outcome<SendResult>> {
    const timeoutMs = sendTimeoutMs(request);
    const span = activeSpan()?.child("session wait");
    const ready = await this.#link.ready(now, now + SEND_TIMEOUTS.textMs);
    span?.end({ code: ready.ok ? undefined : ready.failure.code });
    if (!ready.ok) return ready;
    return this.#dispatch(ready.value, request, details, Date.now() + timeoutMs, Date.now());
  }

  /** Stores and dispatches in one synchronous step; the output gate holds its bytes until the row is durable. */
  #dispatch(line: object, request: SendRequest, details: SendDetails, deadlineAt: number, now: number): Promise<Outcome<SendResult>> {
    const storing = activeSpan()?.child("store");
    // It counts by how it ends.
    const earlier = this.#rows.find(request.message_id);
    if (earlier !== null) this.#takeBackFailure(earlier, request);
    this.#rows.storeAsked(request, details, this.#link.generation(), now);
    if (!this.#link.isRedialled) this.#watch(request, deadlineAt);
    this.#counters.flush(now);
    this.#pending.add(request, details, now);
    storing?.end();
    const waiting = activeSpan()?.child("outbox wait", {}, "client");
    const ended = this.#waiters.add(request.message_id, line, deadlineAt, now, waiting?.traceparent);
    this.#link.send(line, request, deadlineAt - now, waiting?.traceparent);
    return waiting === undefined ? ended : endWith(waiting, ended);
  }

  #watch(request: SendRequest, deadlineAt: number): void {
    this.#rows.watch(request, deadlineAt);
    this.#rearm();
  }

  /** A send dispatched by an earlier instance of this object: settled by the recall, or by its timeout. */
  #resume(row: SendRow, now: number): Promise<Outcome<SendResult>> {
    this.#rows.waitedFor(row.messageId);
    const ended = this.#waiters.add(row.messageId, null, now + sendTimeoutMs(row.request), now);
    this.sessionUp(now);
    return ended;
  }

  /** The caller's deadline has passed. */
  #expire(id: string): void {
    const row = this.#rows.find(id);
    if (row?.state !== "asked") return;
    const now = Date.now();
    try {
      // The caller is told, so there is no event.
      this.#timedOut(row, now);
      this.#counters.flush(now);
      this.finishCommit(true);
    } catch (error) {
      // The disk is full: the row stays as it is, and its caller is told all the same.
      if (!isStorageFailure(error)) throw error;
      this.#counters.rolledBack();
      this.finishCommit(false);
      this.#waiters.resolve(id, uncertainOutcome(row));
    }
  }

  /** No outcome in time. The send is still certainly not sent if its bytes were never written and cannot be any more. */
  #timedOut(row: SendRow, now: number): GatewayFact[] {
    if (this.#certainlyNotSent(row)) return this.#refused(row, "abandoned", NO_SESSION_FAILURE, now);
    this.#uncertain(row, now);
    return [];
  }

  #sent(row: SendRow, acknowledged: Acknowledged, now: number): GatewayFact[] {
    const { message, timestamp, to_resolved } = acknowledged;
    const facts = this.#projection.sent(row.request, acknowledged, row.details.source, row.details.reference, now);
    const value = resultOf(row, { chat_id: message.chat_id, type: message.type, timestamp, to_resolved });
    this.#end(row, "sent", succeed(value), now);
    return facts;
  }

  /**
   * A refused message is an event (docs/use/events.md, "Account API events"), also when a caller gets the refusal as its answer. For a
   * message that was never tried there is an event only if no caller is waiting for the answer.
   */
  #refused(row: SendRow, state: "refused" | "abandoned", failure: Failure, now: number): GatewayFact[] {
    this.#pending.store(row.messageId);
    const facts = this.#projection.failed(row.messageId, failure, now);
    this.#end(row, state, fail({ ...failure, details: { ...failure.details, message_id: row.messageId } }), now);
    return state === "abandoned" && this.#waiters.has(row.messageId) ? [] : facts;
  }

  #uncertain(row: SendRow, now: number): void {
    this.#pending.store(row.messageId);
    this.#end(row, "uncertain", uncertainOutcome(row), now);
  }

  /** The bridge does not know the send. Without stored bytes it was never on the wire, so it can be dispatched again. */
  #unknown(row: SendRow, now: number): GatewayFact[] {
    if (this.#link.wasWritten(row.messageId)) {
      // Whoever waits has a deadline: until then a receipt may prove that it arrived, which the network plays to the next bridge.
      if (row.state === "asked" && !this.#waiters.has(row.messageId)) this.#uncertain(row, now);
      return [];
    }
    if (row.state !== "asked") return this.#certainlyNotSent(row) ? this.#refused(row, "abandoned", NO_SESSION_FAILURE, now) : [];
    const waiter = this.#waiters.get(row.messageId);
    const line = this.#link.current();
    if (waiter === undefined || line === null || waiter.deadlineAt <= now) {
      return this.#refused(row, "abandoned", NO_SESSION_FAILURE, now);
    }
    this.#rows.storeAsked(row.request, row.details, this.#link.generation(), row.askedAt);
    this.#waiters.moveTo(row.messageId, line);
    this.#link.send(line, row.request, waiter.deadlineAt - now, waiter.trace);
    return [];
  }

  /**
   * Not sent, because its session goes to another bridge: while a caller waits, the next session is asked about it like about any other
   * send, and then gets it.
   */
  #handedBack(row: SendRow, { code }: Failure): boolean {
    return NO_SESSION_CODES.has(code) && this.#waiters.has(row.messageId) && this.#link.isMovingFrom(row.generation);
  }

  #certainlyNotSent(row: SendRow): boolean {
    return !this.#link.mayStillWrite(row.messageId, row.generation) && !this.#link.wasWritten(row.messageId);
  }

  #end(row: SendRow, state: Exclude<SendRow["state"], "asked">, outcome: Outcome<SendResult>, now: number): void {
    const failed = state !== "sent" && state !== "uncertain";
    this.#takeBackFailure(row, row.request);
    const names = countedAs(row.request, failed || outcome.ok ? outcome : null);
    for (const name of names) this.#counters.add(name);
    const counted = outcome.ok && names.length > 0 ? { at: now, names } : null;
    this.#rows.end(row, state, outcome, { failedAt: failed ? now : null, counted });
    this.#pending.ended(row.messageId);
    this.#settled.push([row.messageId, outcome]);
  }

  /** A send counts once, by its last state: one that has failed is tried again, or was sent after all. */
  #takeBackFailure({ failedAt, outcome }: SendRow, request: SendRequest): void {
    if (failedAt !== null) this.#counters.takeBack(failedAt, countedAs(request, outcome));
  }

  #unsettled(id: string): SendRow | null {
    return this.#rows.isOpen(id) ? this.#rows.find(id) : null;
  }
}
