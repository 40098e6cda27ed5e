// All sends of a session, in order within a chat. Each settles once, and only the network's ack counts as success.
import type { BinaryNode } from "baileys";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { Span } from "@gateway/tracing/span.ts";
import { errorFacts } from "#bridge/log.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import { isDiskFull } from "../media/spool.ts";
import { disappearingTimersOf } from "../memory/disappearing-timers.ts";
import { groupsOf } from "../memory/group-cache.ts";
import { userOf } from "../addressing/jids.ts";
import type { Recipient } from "../addressing/recipient.ts";
import { lidJidOf, refreshLid } from "../addressing/lid-look-up.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { asAttempted, failureOfCode } from "../session/network-failures.ts";
import type { SessionContext, NetworkSession } from "../session/session-context.ts";
import { deleteSent } from "../durability/sent-messages.ts";
import { prepare, relay, type Prepared } from "./dispatch.ts";
import { messageAsSent } from "./message-as-sent.ts";
import { sendStart } from "./send-starts.ts";
import { newChatsCapped, restriction, restriction463 } from "./restrictions.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { SEND_TIMEOUTS, sendTimeoutMs, type SendTimeouts } from "@gateway/protocol/instance-settings.ts";
import type { PendingSend, SendOutcome, SendStage } from "./pending-send.ts";

const OUTCOME_CACHE_SIZE = 200;

/** An unprepared send is aborted this long before its deadline, so that the caller learns in time that nothing was sent. */
const GIVE_UP_MARGIN_MS = 1_000;

const STALE_DEVICES = 479;
const RESTRICTED = 463;
const NEW_CHATS_CAPPED = 475;

export class Sends {
  readonly #pending = new Map<string, PendingSend>();
  readonly #outcomes = boundedCache<string, SendOutcome>(OUTCOME_CACHE_SIZE);
  /** Sends whose message may have been sent, but that the network has not confirmed. A late ack or receipt still settles them. */
  readonly #uncertain = boundedCache<string, PendingSend>(OUTCOME_CACHE_SIZE);
  readonly #chatQueues = new Map<string, Promise<void>>();
  readonly #timeouts: SendTimeouts;

  constructor(timeouts: SendTimeouts = SEND_TIMEOUTS) {
    this.#timeouts = timeouts;
  }

  /** Resends a repeated id only if its message certainly was not sent. `deadlineMs` says how long the caller waits. */
  send(
    ctx: SessionContext,
    request: SendRequest,
    deadlineMs = sendTimeoutMs(request, this.#timeouts),
    span: Span | null = null,
  ): Promise<void> {
    const id = request.message_id;
    const pending = this.#pending.get(id);
    if (pending) return pending.settled;
    const earlier = this.#outcomes.get(id);
    if (earlier && earlier.kind !== "refused") {
      this.#emitSettled(ctx, id, earlier);
      return Promise.resolve();
    }
    const send = this.#begin(ctx, request, deadlineMs, span);
    this.#enqueue(request.chat_id, () => this.#dispatch(ctx, send));
    return send.settled;
  }

  async ended(ms: number): Promise<void> {
    const { promise: elapsed, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const settled = Promise.all([...this.#pending.values()].map((send) => send.settled));
    await Promise.race([settled, elapsed]);
    clearTimeout(timer);
  }

  recall(session: NetworkSession, ids: readonly string[]): void {
    for (const id of ids) {
      if (!this.#pending.has(id)) this.#emitSettled(session, id, this.#outcomes.get(id) ?? { kind: "unknown" });
    }
  }

  /** Handles `CB:ack,class:message`. Acks for resends to single devices carry the ids of sends that are already settled. */
  acknowledged(ctx: SessionContext, { attrs }: BinaryNode): void {
    if (attrs["refresh_lid"] === "true") void this.#refreshLid(ctx, attrs["from"] ?? "");
    const id = attrs["id"] ?? "";
    const send = this.#pending.get(id) ?? this.#uncertain.get(id);
    if (!send?.sent || send.stage === "answered") return;
    const error = attrs["error"];
    if (error === undefined) return this.#succeed(ctx, send, Number(attrs["t"]) || Math.floor(ctx.now() / 1000));
    enter(ctx, send, "answered");
    clearTimeout(send.timer);
    void this.#refusedByNetwork(ctx, send, Number(error)).catch((failed: unknown) => {
      ctx.logger.error({ ...errorFacts(failed), messageId: id }, "send.failed");
      this.#settle(ctx, send, { kind: "refused", failure: { code: "network_error" } });
    });
  }

  /** A receipt or another device's copy proves that the message was sent. */
  confirmed(ctx: SessionContext, id: string, timestamp: number): void {
    const send = this.#pending.get(id) ?? this.#uncertain.get(id);
    if (send?.sent) this.#succeed(ctx, send, timestamp);
  }

  /** Call it when the output gate has closed. Frames that have not reached the gate will never be written. */
  dropConnection(ctx: SessionContext): void {
    for (const [id, send] of this.#pending) {
      // The library may still be relaying a message, because it does not stop when we close the socket.
      if (send.stage === "preparing" || send.stage === "relaying") this.#settle(ctx, send, outcomeWhenCut(send));
      if (send.stage === "written") this.#settle(ctx, send, { kind: "uncertain" });
      // The network has refused this message, but the query that asks how long the restriction lasts was still pending.
      if (send.stage === "answered") this.#settle(ctx, send, refused(asAttempted(restriction(id, null, ctx.now()))));
    }
  }

  #begin(ctx: SessionContext, request: SendRequest, deadlineMs: number, span: Span | null): PendingSend {
    const { promise: settled, resolve: resolveSettled } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#giveUpUnprepared(ctx, send), Math.max(deadlineMs - GIVE_UP_MARGIN_MS, deadlineMs / 2));
    const send: PendingSend = {
      request,
      deadline: ctx.now() + deadlineMs,
      timer,
      stage: "preparing",
      stageSince: performance.now(),
      span,
      sent: null,
      mayHaveLeft: false,
      hasLeft: () => false,
      retried: false,
      settled,
      resolveSettled,
    };
    this.#pending.set(request.message_id, send);
    return send;
  }

  #enqueue(chat: string, work: () => Promise<void>): void {
    const done = (this.#chatQueues.get(chat) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#chatQueues.get(chat) === done) this.#chatQueues.delete(chat);
    });
    this.#chatQueues.set(chat, done);
  }

  async #dispatch(ctx: SessionContext, send: PendingSend): Promise<void> {
    await sendStart();
    if (isSettled(send)) return;
    try {
      const prepared = await prepare(ctx, send);
      if (isSettled(send)) return;
      if (!prepared.ok) return this.#settle(ctx, send, refused(prepared.failure));
      if (prepared.value === "done") return this.#succeed(ctx, send, Math.floor(ctx.now() / 1000));
      await this.#relay(ctx, send, prepared.value);
    } catch (error) {
      ctx.logger.error({ ...errorFacts(error), messageId: send.request.message_id }, "send.failed");
      this.#settle(ctx, send, refused({ code: isDiskFull(error) ? "unavailable" : "internal_error" }));
    }
  }

  async #relay(ctx: SessionContext, send: PendingSend, prepared: Prepared): Promise<void> {
    enter(ctx, send, "relaying");
    send.sent = prepared;
    const failure = await relay(ctx, send.request, prepared, () => {
      if (send.stage !== "relaying") throw new Error("The send has settled.");
      send.mayHaveLeft = true;
      send.hasLeft = ctx.wire.mark();
    });
    if (failure) return this.#settle(ctx, send, refused(failure));
    if (send.stage === "relaying") enter(ctx, send, "queued");
    // Not awaited, because the output gate keeps the order and the chat's next send does not have to wait for the store.
    void this.#watchWrite(ctx, send);
  }

  async #watchWrite(ctx: SessionContext, send: PendingSend): Promise<void> {
    if (!(await ctx.wire.written())) return this.#settle(ctx, send, outcomeWhenCut(send));
    if (send.stage === "queued") enter(ctx, send, "written");
  }

  async #refusedByNetwork(ctx: SessionContext, send: PendingSend, code: number): Promise<void> {
    const { sent } = send;
    if (code === RESTRICTED && sent && !send.retried && ctx.now() < send.deadline) {
      // The person may have moved to a LID since the send began. This is the only retry after 463.
      const { jid, lidJid, subject } = sent.recipient;
      const moved = subject === "person" && lidJid === null && jid.endsWith("@s.whatsapp.net") ? await lidJidOf(ctx, jid) : null;
      if (moved !== null) return this.#again(ctx, send, { ...sent, recipient: { ...sent.recipient, lidJid: moved } });
    }
    if (code === RESTRICTED) return this.#settle(ctx, send, refused(asAttempted(await restriction463(ctx, send.request.message_id))));
    if (code === NEW_CHATS_CAPPED) return this.#settle(ctx, send, refused(asAttempted(await newChatsCapped(ctx, send.request.message_id))));
    // A status post lists its viewers, so a retry would be identical.
    const repeatable = code === STALE_DEVICES && sent?.recipient.subject !== "status";
    if (repeatable && sent && !send.retried && ctx.now() < send.deadline) {
      forgetDevicesOf(ctx, sent.recipient);
      return this.#again(ctx, send, sent);
    }
    this.#settle(ctx, send, refused(asAttempted(failureOfCode(code, sent?.recipient.subject ?? "person"))));
  }

  async #again(ctx: SessionContext, send: PendingSend, prepared: Prepared): Promise<void> {
    // The connection may have ended during the look-up.
    if (isSettled(send)) return;
    send.retried = true;
    send.mayHaveLeft = false;
    send.hasLeft = () => false;
    deleteSent(ctx.rows, send.request.message_id);
    forgetKeyHolders(ctx, send);
    send.timer = setTimeout(() => this.#timedOut(ctx, send), send.deadline - ctx.now());
    return this.#relay(ctx, send, prepared);
  }

  async #refreshLid(ctx: SessionContext, jid: string): Promise<void> {
    try {
      await refreshLid(ctx, jid);
    } catch (error) {
      ctx.logger.info(errorFacts(error), "lid.not_refreshed");
    }
  }

  #giveUpUnprepared(ctx: SessionContext, send: PendingSend): void {
    if (send.stage === "preparing") return this.#settle(ctx, send, refused({ code: "unavailable" }));
    send.timer = setTimeout(() => this.#timedOut(ctx, send), send.deadline - ctx.now());
  }

  #timedOut(ctx: SessionContext, send: PendingSend): void {
    if (send.stage === "relaying" && !send.mayHaveLeft) return this.#settle(ctx, send, refused({ code: "unavailable" }));
    if (send.stage === "relaying" || send.stage === "queued" || send.stage === "written") this.#settle(ctx, send, { kind: "uncertain" });
  }

  #succeed(ctx: SessionContext, send: PendingSend, timestamp: number): void {
    const { request, sent } = send;
    if (!sent && send.request.content.kind !== "disappearing") return;
    const message = messageAsSent(ctx, request, sent, timestamp);
    const { content } = request;
    // A group's timer is in the group's entry, which any member's change updates.
    if (content.kind === "disappearing" && chatKind(message.chat_id) === "direct")
      disappearingTimersOf(ctx.session).set(message.chat_id, content.seconds);
    this.#settle(ctx, send, { kind: "acknowledged", timestamp, to_resolved: sent?.recipient.toResolved ?? null, message });
  }

  #settle(ctx: SessionContext, send: PendingSend, outcome: SendOutcome): void {
    const id = send.request.message_id;
    if (!this.#isOpen(send)) return;
    clearTimeout(send.timer);
    if (send.stage !== "settled") enter(ctx, send, "settled");
    ctx.metrics.sendEnded(outcome);
    endSpan(send.span, outcome);
    this.#pending.delete(id);
    this.#outcomes.set(id, outcome);
    if (outcome.kind === "refused" && send.sent !== null) deleteSent(ctx.rows, id);
    if (outcome.kind !== "acknowledged") forgetKeyHolders(ctx, send);
    if (outcome.kind === "uncertain") this.#uncertain.set(id, send);
    else this.#uncertain.delete(id);
    this.#emitSettled(ctx, id, outcome, send.span);
    send.resolveSettled();
  }

  /** True until the final outcome. Compares the send itself, because a refused id may be sent again. */
  #isOpen(send: PendingSend): boolean {
    const { message_id: id } = send.request;
    return this.#pending.get(id) === send || this.#uncertain.get(id) === send;
  }

  // The event has no dedupe key, because the outcome may have to be reported again. The object recognizes duplicates itself.
  #emitSettled(session: NetworkSession, id: string, outcome: SendOutcome, span: Span | null = null): void {
    const trace = span === null ? {} : { trace: span.traceparent };
    session.emit([{ key: null, event: { type: "send.settled", message_id: id, outcome }, ...trace }]);
  }
}

export const sendsOf = perSession(() => new Sends());

const isSettled = ({ stage }: PendingSend): boolean => stage === "settled";

const STAGE_SPANS: Readonly<Record<SendStage, string>> = {
  preparing: "preparing",
  relaying: "relaying",
  queued: "queued",
  written: "network acknowledgement",
  answered: "refusal",
  settled: "settled",
};

function endSpan(span: Span | null, outcome: SendOutcome): void {
  span?.set({ "gateway.outcome": outcome.kind });
  span?.end({ code: outcome.kind === "refused" ? outcome.failure.code : undefined, failed: outcome.kind === "uncertain" });
}

function enter({ metrics }: Pick<NetworkSession, "metrics">, send: PendingSend, stage: SendStage): void {
  const now = performance.now();
  metrics.sendStageEnded(send.stage, now - send.stageSince);
  send.span?.child(STAGE_SPANS[send.stage], {}, "internal", send.stageSince).end({}, now);
  send.stage = stage;
  send.stageSince = now;
}

const refused = (failure: Failure): SendOutcome => ({ kind: "refused", failure });

/** The outcome of a send that had not been reported as written when the socket closed. The caller repeats a refused send. */
const outcomeWhenCut = (send: PendingSend): SendOutcome => (send.hasLeft() ? { kind: "uncertain" } : refused({ code: "unavailable" }));

/** Makes the library send a group's key again, because it considers the key sent even if the network refuses the message with it. */
function forgetKeyHolders(ctx: SessionContext, { sent }: PendingSend): void {
  if (sent?.recipient.subject === "group") ctx.forgetKeyHolders(sent.recipient.jid);
}

/** Members of a larger group are not queried again at once, because that would block all other sends for seconds. */
const MAX_FORGOTTEN_MEMBERS = 256;
/** Groups whose devices were forgotten within the last hour, because each new query can cost the members' one-time prekeys. */
const forgottenGroupsOf = perSession(() => boundedCache<string, true>(1_000, HOUR_MS));

/** Makes the library read the recipient's devices again or, for a group, the members and their devices. */
function forgetDevicesOf(ctx: SessionContext, { jid, subject }: Recipient): void {
  if (subject !== "group") return forgetDevices(ctx, jid);
  const [groups, forgotten, lids] = [groupsOf(ctx.session), forgottenGroupsOf(ctx.session), lidMappingOf(ctx.session)];
  const members = groups.get(jid)?.participants ?? [];
  if (members.length > MAX_FORGOTTEN_MEMBERS || forgotten.has(jid)) return;
  forgotten.set(jid, true);
  for (const { id } of members) if (!lids.isOwn(id)) forgetDevices(ctx, id);
  groups.forget(jid);
}

function forgetDevices(ctx: SessionContext, jid: string): void {
  const user = userOf(jid);
  if (user === null) return;
  const lids = lidMappingOf(ctx.session);
  for (const one of [user, lids.lidOf(user), lids.phoneOf(user)]) if (one !== null) ctx.forgetDevices(one);
}
