// Settles sends (docs/internals/sends.md, "Outcomes"). A message is stored with its outcome, unless a read or event needs it earlier.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, NetworkEvent, SendSettled } from "@gateway/protocol/events.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import { isStorageFailure } from "#root/src/services/exceptions.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { SendLink } from "../session/network-client.ts";
import type { Counters } from "../statistics/counters.ts";
import { NO_SESSION_CODES, NO_SESSION_FAILURE } from "./no-session.ts";
import type { SendWaiters } from "./send-waiters.ts";
import type { OpenSendRow, OutboxRows, SendResult, SendRow } from "./outbox-rows.ts";

/** Events about whole chats, which also affect messages that they do not mention. */
const OF_CHATS: ReadonlySet<NetworkEvent["type"]> = new Set(["chat.cleared", "chat.deleted"]);

type Acknowledged = Extract<SendSettled["outcome"], { kind: "acknowledged" }>;

export type SettlementDependencies = {
  rows: OutboxRows;
  link: () => SendLink;
  projection: OwnSendProjection;
  counters: Counters;
  waiters: SendWaiters;
  takeBack: TakeBack;
};

/** Lets a refused send wait again (docs/use/waiting-sends.md, "While the number cannot send"). Returns false if its failure is final. */
export type TakeBack = (row: OpenSendRow, failure: Failure, now: number) => boolean;

export class Settlement {
  readonly #deps: SettlementDependencies;
  #settled: [messageId: string, outcome: Outcome<SendResult>][] = [];

  constructor(deps: SettlementDependencies) {
    this.#deps = deps;
  }

  settle({ message_id: id, outcome }: SendSettled, now: number): GatewayFact[] {
    const row = this.#deps.rows.findOpen(id);
    if (row === null) return [];
    switch (outcome.kind) {
      case "acknowledged":
        return this.#sent(row, outcome, now);
      case "refused":
        if (this.#handedBack(row, outcome.failure)) return [];
        return this.#refused(row, NO_SESSION_CODES.has(outcome.failure.code) ? "abandoned" : "refused", outcome.failure, now);
      case "uncertain":
        if (row.state === "dispatched") this.#uncertain(row, now);
        return [];
      case "unknown":
        return this.#unknown(row, now);
    }
  }

  /** Settles sends that were certainly sent, as a receipt or a copy from another device proves. Their events are already stored. */
  confirm(messageIds: readonly string[], now: number): void {
    for (const id of messageIds) {
      const row = this.#deps.rows.findOpen(id);
      if (row === null) continue;
      const { chat_id, content } = row.request;
      const type = content.kind === "forward" ? "unknown" : content.kind;
      const value = resultOf(row, { chat_id, type, timestamp: Math.floor(row.dispatchedAt / 1000), to_resolved: null });
      this.#end(row, "sent", succeed(value), now);
    }
  }

  /** Recounts an accepted message that failed later, or, without a `failure`, a failed one that was delivered after all. */
  recount(messageId: string, failure: Failure | null, now: number): void {
    const row = this.#deps.rows.find(messageId);
    if (row?.outcome?.ok !== true || row.counted === null) return;
    const { type } = row.outcome.value;
    const names = failure === null ? [`sent.${type}`] : [`failed.${type}`, `error.${failure.code}`];
    this.#deps.counters.takeBack(row.counted.at, row.counted.names);
    for (const name of names) this.#deps.counters.add(name);
    this.#deps.rows.recounted(row, { at: now, names });
  }

  /** Resolves waiting callers. The output gate holds their results until the transaction is durable. */
  committed(): void {
    const ended = this.#settled;
    this.#settled = [];
    for (const [id, outcome] of ended) this.#deps.waiters.resolve(id, outcome);
  }

  rolledBack(): void {
    this.#rollBackTo(0);
  }

  savepoint(): () => void {
    const { length } = this.#settled;
    return () => this.#rollBackTo(length);
  }

  /** Keeps only the first `settled` sends of the transaction. */
  #rollBackTo(settled: number): void {
    this.#settled.length = settled;
    this.#deps.rows.resetCache();
  }

  /** Must run in a transaction. Settles an earlier instance's sends without an outcome, and uncertain sends after the recall window. */
  settleOverdue(now: number): GatewayFact[] {
    return this.#deps.rows.overdue(now).flatMap((row) => {
      if (row.state === "dispatched") return this.#deps.waiters.has(row.messageId) ? this.#leaveToWaiter(row) : this.timedOut(row, now);
      const facts = this.#deps.projection.failed(row.messageId, { code: "send_outcome_unknown" }, now);
      this.#end(row, "unproved", uncertainOutcome(row), now);
      return facts;
    });
  }

  #leaveToWaiter({ messageId }: OpenSendRow): GatewayFact[] {
    this.#deps.rows.waitedFor(messageId);
    return [];
  }

  /** Stores the messages of all in-flight sends before a read. The read succeeds even on a full disk. */
  storePending(): void {
    try {
      for (const id of this.#deps.rows.dispatched) this.#store(id);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
    }
  }

  /** Called before the events are applied. Stores the messages that they mention, except those that an acknowledgement stores anyway. */
  storeMentioned(events: readonly KeyedEvent[]): void {
    if (this.#deps.rows.dispatched.size === 0) return;
    const acknowledged = new Set<string>();
    for (const { event } of events) {
      if (OF_CHATS.has(event.type)) this.storePending();
      const id = messageIdOf(event);
      if (id === null || acknowledged.has(id)) continue;
      if (event.type === "send.settled" && event.outcome.kind === "acknowledged") acknowledged.add(id);
      else this.#store(id);
    }
  }

  #store(messageId: string): void {
    const { rows, projection } = this.#deps;
    if (!rows.dispatched.has(messageId) || projection.isStored(messageId)) return;
    const row = rows.findOpen(messageId);
    if (row !== null) projection.accepted(row.request, row.details.source, row.details.reference, row.dispatchedAt);
  }

  /** Called if no outcome was reported in time. The message certainly was not sent if its bytes were never written and no longer can be. */
  timedOut(row: OpenSendRow, now: number): GatewayFact[] {
    if (this.#certainlyNotSent(row)) return this.#refused(row, "abandoned", NO_SESSION_FAILURE, now);
    this.#uncertain(row, now);
    return [];
  }

  #sent(row: OpenSendRow, acknowledged: Acknowledged, now: number): GatewayFact[] {
    const { message, timestamp, to_resolved } = acknowledged;
    const facts = this.#deps.projection.sent(row.request, acknowledged, row.details.source, row.details.reference, now);
    const value = resultOf(row, { chat_id: message.chat_id, type: message.type, timestamp, to_resolved });
    this.#end(row, "sent", succeed(value), now);
    return facts;
  }

  /** A refused send emits an event even if a caller gets the result. A send that was never attempted emits one only without a caller. */
  #refused(row: OpenSendRow, state: "refused" | "abandoned", failure: Failure, now: number): GatewayFact[] {
    if (this.#deps.takeBack(row, failure, now)) {
      // A read may have stored the message as pending. The API shows the waiting send instead.
      this.#deps.projection.waitsAgain(row.messageId);
      // The send is counted later, when the waiting send ends.
      this.#end(row, "abandoned", fail(failure), now, false);
      return [];
    }
    this.#store(row.messageId);
    const facts = this.#deps.projection.failed(row.messageId, failure, now);
    this.#end(row, state, fail({ ...failure, details: { ...failure.details, message_id: row.messageId } }), now);
    return state === "abandoned" && this.#deps.waiters.has(row.messageId) ? [] : facts;
  }

  #uncertain(row: OpenSendRow, now: number): void {
    this.#store(row.messageId);
    this.#end(row, "uncertain", uncertainOutcome(row), now);
  }

  /** Called if the bridge does not know this send. Without a `sent` row, it was never written, so it can be dispatched again. */
  #unknown(row: OpenSendRow, now: number): GatewayFact[] {
    if (this.#deps.link().wasWritten(row.messageId)) {
      // Stays open until the caller's deadline, because a receipt that arrives through the next bridge may still prove delivery.
      if (row.state === "dispatched" && !this.#deps.waiters.has(row.messageId)) this.#uncertain(row, now);
      return [];
    }
    if (row.state !== "dispatched") return this.#certainlyNotSent(row) ? this.#refused(row, "abandoned", NO_SESSION_FAILURE, now) : [];
    const waiter = this.#deps.waiters.get(row.messageId);
    const socket = this.#deps.link().current();
    if (waiter === undefined || socket === null || waiter.deadlineAt <= now) {
      return this.#refused(row, "abandoned", NO_SESSION_FAILURE, now);
    }
    this.#deps.rows.storeDispatched(row.request, row.details, this.#deps.link().generation(), row.dispatchedAt);
    this.#deps.waiters.moveTo(row.messageId, socket);
    this.#deps.link().send(socket, row.request, waiter.deadlineAt - now, waiter.trace);
    return [];
  }

  /** True if the send failed only because the session is moving, and its caller is still waiting. The next session then dispatches it. */
  #handedBack(row: SendRow, { code }: Failure): boolean {
    return NO_SESSION_CODES.has(code) && this.#deps.waiters.has(row.messageId) && this.#deps.link().isMovingFrom(row.generation);
  }

  #certainlyNotSent(row: SendRow): boolean {
    return !this.#deps.link().mayStillWrite(row.messageId, row.generation) && !this.#deps.link().wasWritten(row.messageId);
  }

  #end(
    row: OpenSendRow,
    state: Exclude<SendRow["state"], "dispatched">,
    outcome: Outcome<SendResult>,
    now: number,
    failed = state !== "sent" && state !== "uncertain",
  ): void {
    this.takeBackFailure(row, row.request);
    const names = countedAs(row.request, failed || outcome.ok ? outcome : null);
    for (const name of names) this.#deps.counters.add(name);
    const counted = outcome.ok && names.length > 0 ? { at: now, names } : null;
    this.#deps.rows.end(row, state, outcome, { failedAt: failed ? now : null, counted });
    this.#settled.push([row.messageId, outcome]);
  }

  /** Undoes the count of a failed send, which may be retried or turn out to have been sent. A send counts only under its latest state. */
  takeBackFailure({ failedAt, outcome }: SendRow, request: SendRequest): void {
    if (failedAt !== null) this.#deps.counters.takeBack(failedAt, countedAs(request, outcome));
  }
}

const ACTIONS: ReadonlySet<SendRequest["content"]["kind"]> = new Set(["reaction", "edit", "delete", "pin", "disappearing"]);

/** Names of the counters for an outcome (docs/use/statistics.md, "What is counted"). Empty while the outcome is open. */
function countedAs({ content: { kind } }: SendRequest, outcome: Outcome<SendResult> | null): string[] {
  if (outcome === null) return [];
  const isMessage = !ACTIONS.has(kind);
  if (outcome.ok) return isMessage ? [`sent.${outcome.value.type}`] : [];
  return [...(isMessage ? [`failed.${kind}`] : []), `error.${outcome.failure.code}`];
}

function messageIdOf(event: NetworkEvent): string | null {
  if (event.type === "message.upsert") return event.message.from_me ? event.message.message_id : null;
  return "message_id" in event ? event.message_id : null;
}

export function uncertainOutcome({ messageId, request }: OpenSendRow): Outcome<SendResult> {
  return fail("send_outcome_unknown", { details: { message_id: messageId, chat_id: request.chat_id } });
}

type AcceptedSend = Pick<SendResult, "chat_id" | "type" | "timestamp" | "to_resolved">;

function resultOf({ messageId, details }: SendRow, { chat_id, type, timestamp, to_resolved }: AcceptedSend): SendResult {
  return {
    message_id: messageId,
    chat_id,
    to: details.to,
    to_resolved: to_resolved === details.to ? null : to_resolved,
    is_group: chatKind(chat_id) === "group",
    type,
    reference: details.reference,
    timestamp,
  };
}
