// Outgoing messages are stored first and settled by an event. After a crash, the object asks the bridge for the outcome.
//
//                  dispatch               settle, confirm, expire
//   waiting_send ────────────▶ dispatched ─┬─▶ sent       acknowledged, or proved by a receipt or a copy
//        ▲                     ▲   │       ├─▶ refused    by the network, or by an error before it was written
//        └────── takeBack ─────┼───┘       ├─▶ abandoned  not written, because there was no session
//                        send ─┘           └─▶ uncertain  written, but no outcome in time ──▶ unproved after an hour
//
// A late outcome also moves an uncertain or unproved send. `send` dispatches a refused or abandoned send again under its id.
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome, type Replayable } from "@gateway/protocol/failures.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import type { CommitHandler } from "../commit-handler.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { Counters } from "../statistics/counters.ts";
import type { SendLink } from "../session/network-client.ts";
import { Settlement, type TakeBack, uncertainOutcome } from "./settlement.ts";
import type { Span } from "@gateway/tracing/span.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import { SendWaiters } from "./send-waiters.ts";
import { type OpenSendRow, type OutboxRows, RECALL_WINDOW_MS, type SendDetails, type SendResult, type SendRow } from "./outbox-rows.ts";
import { SEND_TIMEOUTS, sendTimeoutMs } from "@gateway/protocol/instance-settings.ts";
import { batchesOf } from "#root/src/services/batches.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";

const RECALL_BATCH = 500;

/** `isNew` means that the id was just generated, so no send or message has it yet. */
type Dispatch = { socket: object; request: SendRequest; details: SendDetails; deadlineAt: number; isNew: boolean };
type Running = { contentDigest: string | null; outcome: Promise<Outcome<SendResult>> };

export type OutboxDependencies = {
  rows: OutboxRows;
  /** A function, because the kind of number may not be known yet. */
  link: () => SendLink;
  projection: OwnSendProjection;
  counters: Counters;
  rearm: () => void;
  takeBack: TakeBack;
  /** A function, because the commit handler is created after the outbox. The settlement takes part in its transactions. */
  commitHandler: () => Pick<CommitHandler, "change" | "report">;
};

export class Outbox implements Scheduled {
  readonly #rows: OutboxRows;
  readonly #linkNow: () => SendLink;
  readonly #projection: OwnSendProjection;
  readonly #counters: Counters;
  readonly #rearm: () => void;
  readonly #commitHandler: OutboxDependencies["commitHandler"];
  /** This instance's in-flight sends, by message id. A repeated send shares the outcome of the first one. */
  readonly #running = new Map<string, Running>();
  readonly #waiters = new SendWaiters((id) => this.#expire(id));
  readonly settlement: Settlement;

  constructor({ rows, link, projection, counters, rearm, takeBack, commitHandler }: OutboxDependencies) {
    this.#rearm = rearm;
    this.#commitHandler = commitHandler;
    this.#counters = counters;
    this.#rows = rows;
    this.#linkNow = link;
    this.#projection = projection;
    this.settlement = new Settlement({
      rows,
      link,
      projection,
      counters,
      waiters: this.#waiters,
      takeBack,
    });
  }

  get #link(): SendLink {
    return this.#linkNow();
  }

  /** Idempotent by message id. Callers share an in-flight send, and an earlier send is repeated only if it certainly was not sent. */
  send(request: SendRequest, details: SendDetails, now: number): Promise<Replayable<SendResult>> {
    const { message_id: id } = request;
    return this.earlierOutcome(id, details.content, now) ?? this.#share(id, details.content, this.#start(request, details, now, false));
  }

  sendNew(request: SendRequest, details: SendDetails, now: number): Promise<Replayable<SendResult>> {
    return this.#share(request.message_id, details.content, this.#start(request, details, now, true));
  }

  /** Dispatches a waiting send in one synchronous step. Null without a network. Nothing is sent after `until` (Unix ms). */
  dispatch(request: SendRequest, details: SendDetails, until: number, now: number): Promise<Outcome<SendResult>> | null {
    const socket = this.#link.current();
    if (socket === null) return null;
    const deadlineAt = Math.min(now + sendTimeoutMs(request), until);
    return this.#share(request.message_id, details.content, this.#dispatch({ socket, request, details, deadlineAt, isNew: false }, now));
  }

  /** False if there is no record of the send, because it failed before it was dispatched. */
  knows(id: string): boolean {
    return this.#rows.find(id) !== null;
  }

  /** True if the message was sent, or may have been. */
  hasLeft(id: string): boolean {
    const state = this.#rows.find(id)?.state;
    return state !== undefined && state !== "refused" && state !== "abandoned";
  }

  /** The open sends that were waiting sends before they were dispatched. */
  dispatchedAfterWaiting(): SendRequest[] {
    const rows = [...this.#rows.dispatched].map((id) => this.#rows.findOpen(id));
    return rows.flatMap((row) => (row?.details.delivery === undefined ? [] : [row.request]));
  }

  isDispatched(id: string): boolean {
    return this.#rows.dispatched.has(id);
  }

  /** The outcome of a known send, or null if it certainly was not sent. Another `contentDigest` fails with `content_differs`. */
  earlierOutcome(id: string, contentDigest: string | null, now: number): Promise<Replayable<SendResult>> | null {
    const running = this.#running.get(id);
    const known = running === undefined ? this.#rows.find(id) : null;
    if (contentDigest === null) return running?.outcome ?? this.#earlier(id, known, now);
    const first = running === undefined ? known?.details.content : running.contentDigest;
    const differs = first === undefined ? this.#projection.isStored(id) : first !== contentDigest;
    if (differs) return Promise.resolve(fail("content_differs", { details: { message_id: id } }));
    const earlier = running?.outcome ?? this.#earlier(id, known, now);
    return earlier?.then((outcome) => ({ ...outcome, replayed: true })) ?? null;
  }

  #earlier(id: string, known: SendRow | null, now: number): Promise<Outcome<SendResult>> | null {
    if (known === null || known.state === "refused" || known.state === "abandoned") return null;
    if (known.outcome !== null) return Promise.resolve(known.outcome);
    return known.state === "dispatched" ? this.#share(id, known.details.content, this.#resume(known, now)) : null;
  }

  #share(id: string, contentDigest: string | null, attempt: Promise<Outcome<SendResult>>): Promise<Outcome<SendResult>> {
    const outcome = attempt.finally(() => this.#running.delete(id));
    this.#running.set(id, { contentDigest, outcome });
    return outcome;
  }

  openRequest(id: string): SendRequest | null {
    return this.#rows.findOpen(id)?.request ?? null;
  }

  /** Called when the network is reachable, possibly over a new socket. Asks about sends that an earlier socket may have lost. */
  sessionUp(now: number): void {
    const socket = this.#link.current();
    if (socket === null || !this.#rows.hasOpen) return;
    const ids = this.#rows
      .unsettled(now - RECALL_WINDOW_MS)
      .filter((row) => this.#waiters.get(row.messageId)?.socket !== socket)
      .map((row) => row.messageId);
    for (const batch of batchesOf(ids, RECALL_BATCH)) this.#link.recall(socket, batch);
  }

  clockSetBack(now: number): void {
    this.#rows.resetCache();
    this.#waiters.followClock(now);
  }

  nextDue(): number | null {
    return this.#rows.nextDue();
  }

  run(now: number): void {
    if (this.#rows.overdue(now).length > 0) this.#commitHandler().report(() => this.settlement.settleOverdue(now), now);
    this.#rows.run(now);
  }

  async #start(request: SendRequest, details: SendDetails, calledAt: number, isNew: boolean): Promise<Outcome<SendResult>> {
    const timeoutMs = sendTimeoutMs(request);
    const span = activeSpan()?.child("session wait");
    const ready = await this.#link.ready(calledAt, calledAt + SEND_TIMEOUTS.textMs);
    span?.end({ code: ready.ok ? undefined : ready.failure.code });
    if (!ready.ok) return ready;
    const now = Date.now();
    return this.#dispatch({ socket: ready.value, request, details, deadlineAt: now + timeoutMs, isNew }, now);
  }

  /** Stores and dispatches in one synchronous step. The output gate holds the frame until the row is durable. */
  #dispatch({ socket, request, details, deadlineAt, isNew }: Dispatch, now: number): Promise<Outcome<SendResult>> {
    const storing = activeSpan()?.child("store");
    const earlier = isNew ? null : this.#rows.find(request.message_id);
    if (earlier !== null) this.settlement.takeBackFailure(earlier, request);
    this.#rows.storeDispatched(request, details, this.#link.generation(), now);
    if (!this.#link.isRedialled) this.#watch(request, deadlineAt);
    this.#counters.flush(now);
    if (!isNew && this.#projection.isStored(request.message_id)) this.#projection.accepted(request, details.source, details.reference, now);
    storing?.end();
    const waiting = activeSpan()?.child("outbox wait", {}, "client");
    const ended = this.#waiters.add(request.message_id, socket, deadlineAt, now, waiting?.traceparent);
    this.#link.send(socket, request, deadlineAt - now, waiting?.traceparent);
    return waiting === undefined ? ended : endWith(waiting, ended);
  }

  #watch(request: SendRequest, deadlineAt: number): void {
    this.#rows.watch(request, deadlineAt);
    this.#rearm();
  }

  /** Waits until a send that an earlier instance dispatched has its outcome or times out. */
  #resume(row: OpenSendRow, now: number): Promise<Outcome<SendResult>> {
    this.#rows.waitedFor(row.messageId);
    const ended = this.#waiters.add(row.messageId, null, now + sendTimeoutMs(row.request), now);
    this.sessionUp(now);
    return ended;
  }

  #expire(id: string): void {
    const row = this.#rows.find(id);
    if (row?.state !== "dispatched") return;
    const now = Date.now();
    try {
      // Discards the events, because the caller gets the outcome.
      this.#commitHandler().change(() => this.settlement.timedOut(row, now), now);
    } catch (error) {
      // The disk is full, so the row stays unchanged, but its caller still gets a result.
      if (!isStorageFailure(error)) throw error;
      this.#waiters.resolve(id, uncertainOutcome(row));
    }
  }
}

async function endWith(span: Span, ended: Promise<Outcome<SendResult>>): Promise<Outcome<SendResult>> {
  const outcome = await ended;
  const code = outcome.ok ? undefined : outcome.failure.code;
  span.end({ code, failed: code === "send_outcome_unknown" });
  return outcome;
}
