// Own messages on their way. A send is stored before the bridge is asked and ends by an event, so a crash anywhere is answered
// by asking, not by guessing (docs/durability.md, "Sends"). The only place that asks again is this one.
import type { GatewayFact } from "../../../src/domain/gateway-event.ts";
import type { SendContent, SendRequest } from "../../../src/protocol/content.ts";
import type { SendSettled } from "../../../src/protocol/events.ts";
import { fail, type Failure, type FailureCode, type Outcome } from "../../../src/protocol/failures.ts";
import { chatKind } from "../../../src/protocol/ids.ts";
import type { OwnSendProjection } from "../projection/own-sends.ts";
import { OutboxRows, type SendDetails, type SendResult, type SendRow } from "./rows.ts";
import { Waiting } from "./waiting.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

/** How long the network may take to acknowledge, from when the bridge was asked (docs/apis.md, "Sending"). */
export const SEND_MS = { text: 10_000, media: 60_000 } as const;
/** An uncertain send is asked about for so long; a receipt may tell the truth later still. */
const RECALL_MS = HOUR_MS;
const RECALLED_AT_ONCE = 500;

const NO_SESSION: Failure = { code: "unavailable", retryAfter: 2 };
/** The network never heard of it, so nothing is told of it either: whoever waits is answered, and may try again. */
const FOR_WANT_OF_A_SESSION: ReadonlySet<FailureCode> = new Set(["unavailable", "instance_reconnecting", "instance_not_connected"]);

/** The session, as the outbox needs it. */
export type SendLink = {
  ready(now: number, deadlineAt: number): Promise<Outcome<WebSocket>>;
  commandSocket(): WebSocket | null;
  generation(): number;
  mayStillCommit(generation: number): boolean;
  /** Answered by `send.settled`, as a recall is for each of its ids. */
  send(socket: WebSocket, request: SendRequest, deadlineMs: number): void;
  recall(socket: WebSocket, messageIds: string[]): void;
  /** Were the bytes of this message written ahead of the wire? */
  wasWritten(messageId: string): boolean;
};

type Acknowledged = Extract<SendSettled["outcome"], { kind: "acknowledged" }>;

export class Outbox {
  readonly #rows: OutboxRows;
  readonly #link: SendLink;
  readonly #own: OwnSendProjection;
  /** Sends that are being carried out in this life of the object: a repeated one shares the first one's end. */
  readonly #running = new Map<string, Promise<Outcome<SendResult>>>();
  readonly #waiting = new Waiting((id) => this.#expire(id));
  /** Ended within the block that is being applied. */
  #ended: [messageId: string, outcome: Outcome<SendResult>][] = [];

  constructor(sql: SqlStorage, link: SendLink, own: OwnSendProjection) {
    this.#rows = new OutboxRows(sql);
    this.#link = link;
    this.#own = own;
  }

  /**
   * Idempotent by message id: a known send answers what became of it, a running one is shared, and only one that certainly did
   * not go is tried anew. Fails `instance_not_connected`, `instance_reconnecting`, `send_outcome_unknown`, `unavailable`, or as
   * the network refused. `now` in Unix ms.
   */
  send(request: SendRequest, details: SendDetails, now: number): Promise<Outcome<SendResult>> {
    return this.earlier(request.message_id, now) ?? this.#share(request.message_id, this.#start(request, details, now));
  }

  /** What becomes, or became, of the send with this id; null when there is none, or it certainly did not go. */
  earlier(id: string, now: number): Promise<Outcome<SendResult>> | null {
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const known = this.#rows.find(id);
    if (known?.outcome != null && (known.state === "sent" || known.state === "uncertain")) return Promise.resolve(known.outcome);
    return known?.state === "asked" ? this.#share(id, this.#resume(known, now)) : null;
  }

  #share(id: string, attempt: Promise<Outcome<SendResult>>): Promise<Outcome<SendResult>> {
    const shared = attempt.finally(() => this.#running.delete(id));
    this.#running.set(id, shared);
    return shared;
  }

  /** How a send ended, within the block of the commit that says so. */
  settle({ message_id: id, outcome }: SendSettled, now: number): GatewayFact[] {
    const row = this.#rows.open.has(id) ? this.#rows.find(id) : null;
    if (row === null) return [];
    switch (outcome.kind) {
      case "acknowledged":
        return this.#sent(row, outcome, now);
      case "refused":
        return this.#refused(row, FOR_WANT_OF_A_SESSION.has(outcome.failure.code) ? "abandoned" : "refused", outcome.failure, now);
      case "uncertain":
        if (row.state === "asked") this.#uncertain(row);
        return [];
      case "unknown":
        return this.#unknown(row, now);
    }
  }

  /** A receipt, or a copy on another device, proved that these arrived; the stores and customers know already. */
  confirm(messageIds: readonly string[]): void {
    for (const id of messageIds) {
      const row = this.#unsettled(id);
      if (row === null) continue;
      const { chat_id, content } = row.request;
      const type = content.kind === "forward" ? "unknown" : content.kind;
      this.#end(row, "sent", {
        ok: true,
        value: resultOf(row, { chat_id, type, timestamp: Math.floor(row.askedAt / 1000), to_resolved: null }),
      });
    }
  }

  /** The block stands: those who wait are answered (by the output gate: once it is durable). Or it was rolled back. */
  conclude(stands: boolean): void {
    const ended = this.#ended;
    this.#ended = [];
    if (!stands) return this.#rows.forget();
    for (const [id, outcome] of ended) this.#waiting.answer(id, outcome);
  }

  /** A session that carries commands is here, maybe a new one: what was asked before over another socket may have been lost. */
  sessionUp(now: number): void {
    const socket = this.#link.commandSocket();
    if (socket === null || this.#rows.open.size === 0) return;
    const ids = this.#rows
      .unsettled(now - RECALL_MS)
      .filter((row) => this.#waiting.of(row.messageId)?.socket !== socket)
      .map((row) => row.messageId);
    for (let first = 0; first < ids.length; first += RECALLED_AT_ONCE)
      this.#link.recall(socket, ids.slice(first, first + RECALLED_AT_ONCE));
  }

  nextDue(): number | null {
    return this.#rows.nextDue();
  }

  run(now: number): void {
    this.#rows.run(now);
  }

  async #start(request: SendRequest, details: SendDetails, now: number): Promise<Outcome<SendResult>> {
    const patienceMs = patience(request);
    const ready = await this.#link.ready(now, now + SEND_MS.text);
    if (!ready.ok) return ready;
    return this.#ask(ready.value, request, details, Date.now() + patienceMs, Date.now());
  }

  /** Stores and asks in one synchronous step; the platform holds the question back until the row is durable. */
  #ask(socket: WebSocket, request: SendRequest, details: SendDetails, deadlineAt: number, now: number): Promise<Outcome<SendResult>> {
    this.#rows.ask(request, details, this.#link.generation(), now);
    this.#own.accepted(request, details.source, details.reference, now);
    const ended = this.#waiting.add(request.message_id, socket, deadlineAt, now);
    this.#link.send(socket, request, deadlineAt - now);
    return ended;
  }

  /** A send that was asked in an earlier life of this object: its end comes by the recall, or not in time. */
  #resume(row: SendRow, now: number): Promise<Outcome<SendResult>> {
    const ended = this.#waiting.add(row.messageId, null, now + patience(row.request), now);
    this.sessionUp(now);
    return ended;
  }

  /** Nobody knows in time. It is still certain that it did not go when its bytes were never written and no more can be. */
  #expire(id: string): void {
    const row = this.#rows.find(id);
    if (row?.state !== "asked") return;
    if (this.#provablyUnsent(row)) this.#refused(row, "abandoned", NO_SESSION, Date.now());
    else this.#uncertain(row);
    this.conclude(true);
  }

  #sent(row: SendRow, acknowledged: Acknowledged, now: number): GatewayFact[] {
    const { message, timestamp, to_resolved } = acknowledged;
    const facts = this.#own.sent(row.request, acknowledged, row.details.source, row.details.reference, now);
    this.#end(row, "sent", { ok: true, value: resultOf(row, { chat_id: message.chat_id, type: message.type, timestamp, to_resolved }) });
    return facts;
  }

  /**
   * A message that was refused has failed to send, which is an event (docs/events.md, "Account API events") whoever was answered so. One
   * that was never tried is told only where the caller was not told by its answer.
   */
  #refused(row: SendRow, state: "refused" | "abandoned", failure: Failure, now: number): GatewayFact[] {
    const facts = this.#own.failed(row.messageId, failure, now);
    this.#end(row, state, fail({ ...failure, details: { ...failure.details, message_id: row.messageId } }));
    return state === "abandoned" && this.#waiting.has(row.messageId) ? [] : facts;
  }

  #uncertain(row: SendRow): void {
    const details = { message_id: row.messageId, chat_id: row.request.chat_id };
    this.#end(row, "uncertain", fail("send_outcome_unknown", { details }));
  }

  /** This bridge never had it. Without its bytes in the store it was never on the wire: it can be asked for again. */
  #unknown(row: SendRow, now: number): GatewayFact[] {
    if (this.#link.wasWritten(row.messageId)) {
      if (row.state === "asked") this.#uncertain(row);
      return [];
    }
    if (row.state === "uncertain") return this.#provablyUnsent(row) ? this.#refused(row, "abandoned", NO_SESSION, now) : [];
    const waiting = this.#waiting.of(row.messageId);
    const socket = this.#link.commandSocket();
    if (waiting === undefined || socket === null || waiting.deadlineAt <= now) {
      return this.#refused(row, "abandoned", NO_SESSION, now);
    }
    this.#rows.ask(row.request, row.details, this.#link.generation(), row.askedAt);
    this.#waiting.move(row.messageId, socket);
    this.#link.send(socket, row.request, waiting.deadlineAt - now);
    return [];
  }

  #provablyUnsent(row: SendRow): boolean {
    return !this.#link.mayStillCommit(row.generation) && !this.#link.wasWritten(row.messageId);
  }

  #end(row: SendRow, state: Exclude<SendRow["state"], "asked">, outcome: Outcome<SendResult>): void {
    this.#rows.end(row.messageId, state, outcome);
    this.#ended.push([row.messageId, outcome]);
  }

  #unsettled(id: string): SendRow | null {
    return this.#rows.open.has(id) ? this.#rows.find(id) : null;
  }
}

function patience(request: SendRequest): number {
  return (carriesMedia(request.content) ? SEND_MS.media : SEND_MS.text) + request.typing_ms;
}

function carriesMedia(content: SendContent): boolean {
  return "media" in content || (content.kind === "text" && content.preview?.image != null);
}

type Took = Pick<SendResult, "chat_id" | "type" | "timestamp" | "to_resolved">;

function resultOf({ messageId, details }: SendRow, { chat_id, type, timestamp, to_resolved }: Took): SendResult {
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
