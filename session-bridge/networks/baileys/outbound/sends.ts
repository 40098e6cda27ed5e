// Every send of a session: in order within a chat, side by side across chats, settled once. Success is the network's
// acknowledgement, never the write (docs/durability.md, "Sends").
import type { BinaryNode } from "baileys";
import type { SendRequest } from "../../../../src/protocol/content.ts";
import type { Failure } from "../../../../src/protocol/failures.ts";
import { errorFacts } from "../../../log.ts";
import { BoundedMap } from "../session/bounded-map.ts";
import { timersOf } from "../memory/disappearing-timers.ts";
import { userOf } from "../addressing/jids.ts";
import { bookOf } from "../addressing/phone-book.ts";
import { failureOfCode } from "../session/network-failures.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext, SessionLink } from "../session/session-context.ts";
import { restriction463 } from "./restriction.ts";
import { patienceMs, SEND_LIMITS, type Flight, type SendLimits, type SendOutcome } from "./pending-send.ts";
import { launch, relay, type Prepared } from "./dispatch.ts";
import { messageAsSent } from "./sent-message.ts";

/** Outcomes that are remembered, so that a repeated question gets the same answer. */
const REMEMBERED = 200;

const STALE_DEVICES = 479;
const RESTRICTED = 463;

export class Sends {
  readonly #flights = new Map<string, Flight>();
  readonly #outcomes = new BoundedMap<string, SendOutcome>(REMEMBERED);
  /** On the wire without an answer: a late ack or a receipt still tells. */
  readonly #uncertain = new BoundedMap<string, Flight>(REMEMBERED);
  readonly #lines = new Map<string, Promise<void>>();
  readonly #limits: SendLimits;

  constructor(limits: SendLimits = SEND_LIMITS) {
    this.#limits = limits;
  }

  /** Resolves when it is settled. A second request for the same id never puts it on the wire again, unless it certainly was not. */
  send(ctx: SessionContext, request: SendRequest): Promise<void> {
    const id = request.message_id;
    const flying = this.#flights.get(id);
    if (flying) return flying.over;
    const earlier = this.#outcomes.get(id);
    if (earlier && earlier.kind !== "refused") {
      this.#tell(ctx, id, earlier);
      return Promise.resolve();
    }
    const flight = this.#begin(ctx, request);
    this.#inLine(request.chat_id, () => this.#launch(ctx, flight));
    return flight.over;
  }

  /** For those in flight the answer comes when it is known. */
  recall(link: SessionLink, ids: readonly string[]): void {
    for (const id of ids) {
      if (!this.#flights.has(id)) this.#tell(link, id, this.#outcomes.get(id) ?? { kind: "unknown" });
    }
  }

  /** `CB:ack,class:message`. Acks of resends to single devices carry ids that were settled long ago. */
  acknowledged(ctx: SessionContext, { attrs }: BinaryNode): void {
    const id = attrs["id"] ?? "";
    const flight = this.#flights.get(id) ?? this.#uncertain.get(id);
    if (!flight?.sent || flight.stage === "answered") return;
    const error = attrs["error"];
    if (error === undefined) return this.#succeed(ctx, flight, Number(attrs["t"]) || Math.floor(ctx.now() / 1000));
    flight.stage = "answered";
    clearTimeout(flight.timer);
    void this.#refusedByNetwork(ctx, flight, Number(error)).catch((failed: unknown) => {
      ctx.logger.error({ ...errorFacts(failed), messageId: id }, "send.failed");
      this.#settle(ctx, flight, { kind: "refused", failure: { code: "network_error" } });
    });
  }

  /** A receipt or another device's copy of the message proves that it went. */
  arrived(ctx: SessionContext, id: string, timestamp: number): void {
    const flight = this.#flights.get(id) ?? this.#uncertain.get(id);
    if (flight?.sent) this.#succeed(ctx, flight, timestamp);
  }

  disconnected(link: SessionLink): void {
    for (const flight of this.#flights.values()) {
      // What is still leaving learns from the socket itself whether it left.
      if (flight.stage === "preparing") this.#settle(link, flight, refused({ code: "unavailable" }));
      if (flight.stage === "written") this.#settle(link, flight, { kind: "uncertain" });
    }
  }

  #begin(ctx: SessionContext, request: SendRequest): Flight {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const patience = patienceMs(request, this.#limits);
    const timer = setTimeout(() => this.#outOfTime(ctx, flight), patience);
    const flight: Flight = { request, deadline: ctx.now() + patience, timer, stage: "preparing", sent: null, retried: false, over, end };
    this.#flights.set(request.message_id, flight);
    return flight;
  }

  #inLine(chat: string, work: () => Promise<void>): void {
    const turn = (this.#lines.get(chat) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#lines.get(chat) === turn) this.#lines.delete(chat);
    });
    this.#lines.set(chat, turn);
  }

  async #launch(ctx: SessionContext, flight: Flight): Promise<void> {
    if (isOver(flight)) return;
    try {
      const prepared = await launch(ctx, flight);
      if (isOver(flight)) return;
      if (!prepared.ok) return this.#settle(ctx, flight, refused(prepared.failure));
      if (prepared.value === "done") return this.#succeed(ctx, flight, Math.floor(ctx.now() / 1000));
      await this.#leave(ctx, flight, prepared.value);
    } catch (error) {
      ctx.logger.error({ ...errorFacts(error), messageId: flight.request.message_id }, "send.failed");
      this.#settle(ctx, flight, refused({ code: "internal_error" }));
    }
  }

  async #leave(ctx: SessionContext, flight: Flight, prepared: Prepared): Promise<void> {
    flight.stage = "leaving";
    flight.sent = prepared;
    const failure = await relay(ctx, flight.request, prepared);
    if (failure) return this.#neverLeft(ctx, flight, failure);
    if (flight.stage === "leaving") flight.stage = "written";
    // The next one of the chat need not wait for the store: the gate keeps the order.
    void this.#watchWire(ctx, flight);
  }

  async #watchWire(ctx: SessionContext, flight: Flight): Promise<void> {
    if (!(await ctx.wire.written())) this.#neverLeft(ctx, flight, { code: "unavailable" });
  }

  /** Certainly not on the wire, whatever was said in the meantime; the write-ahead row would say otherwise. */
  #neverLeft(ctx: SessionContext, flight: Flight, failure: Failure): void {
    const said = this.#outcomes.get(flight.request.message_id);
    if (said && said.kind !== "uncertain") return;
    ctx.rows.put(`sent|${flight.request.message_id}`, null);
    this.#settle(ctx, flight, refused(failure));
  }

  async #refusedByNetwork(ctx: SessionContext, flight: Flight, code: number): Promise<void> {
    const { sent } = flight;
    if (code === RESTRICTED) return this.#settle(ctx, flight, refused(await restriction463(ctx, flight.request.message_id)));
    if (code === STALE_DEVICES && sent && !flight.retried && ctx.now() < flight.deadline) {
      flight.retried = true;
      forgetDevices(ctx, sent.recipient.jid);
      flight.timer = setTimeout(() => this.#outOfTime(ctx, flight), flight.deadline - ctx.now());
      return this.#leave(ctx, flight, sent);
    }
    this.#settle(ctx, flight, refused(failureOfCode(code, sent?.recipient.subject ?? "person")));
  }

  #outOfTime(ctx: SessionContext, flight: Flight): void {
    if (flight.stage === "preparing") this.#settle(ctx, flight, refused({ code: "unavailable" }));
    if (flight.stage === "leaving" || flight.stage === "written") this.#settle(ctx, flight, { kind: "uncertain" });
  }

  #succeed(ctx: SessionContext, flight: Flight, timestamp: number): void {
    const { request, sent } = flight;
    if (!sent && flight.request.content.kind !== "disappearing") return;
    const message = messageAsSent(ctx, request, sent, timestamp);
    if (request.content.kind === "disappearing") timersOf(ctx.link).set(message.chat_id, request.content.seconds);
    this.#settle(ctx, flight, { kind: "acknowledged", timestamp, to_resolved: sent?.recipient.toResolved ?? null, message });
  }

  #settle(link: SessionLink, flight: Flight, outcome: SendOutcome): void {
    const id = flight.request.message_id;
    const before = this.#outcomes.get(id);
    if (flight.stage === "over" && before?.kind !== "uncertain") return;
    clearTimeout(flight.timer);
    flight.stage = "over";
    this.#flights.delete(id);
    this.#outcomes.set(id, outcome);
    if (outcome.kind === "uncertain") this.#uncertain.set(id, flight);
    else this.#uncertain.delete(id);
    this.#tell(link, id, outcome);
    flight.end();
  }

  // Without a key: the same answer may have to be given again, and the object knows what it has heard.
  #tell(link: SessionLink, id: string, outcome: SendOutcome): void {
    link.emit([{ key: null, event: { type: "send.settled", message_id: id, outcome } }]);
  }
}

export const sendsOf = perSession(() => new Sends());

/** It may end at any time; a plain comparison would be taken for settled by the compiler. */
const isOver = ({ stage }: Flight): boolean => stage === "over";

const refused = (failure: Failure): SendOutcome => ({ kind: "refused", failure });

function forgetDevices(ctx: SessionContext, jid: string): void {
  const user = userOf(jid);
  if (user === null) return;
  const book = bookOf(ctx.link);
  for (const one of [user, book.lidOf(user), book.phoneOf(user)]) if (one !== null) ctx.forgetDevices(one);
}
