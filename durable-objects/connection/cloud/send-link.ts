// Sends messages through Graph. Each one is marked as possibly sent and requested only once. Outcomes are events, as for sessions.
import { failureOf, throttlesNumber, notConnected } from "@gateway/domain/cloud/failures.ts";
import { SendResponse } from "@gateway/domain/cloud/graph-values.ts";
import { bodyOf, filesOf, type GraphSend } from "@gateway/domain/cloud/request.ts";
import type { MediaRef, SendRequest } from "@gateway/protocol/content.ts";
import type { KeyedEvent, SendSettled } from "@gateway/protocol/events.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { chatIdOf, chatKind } from "@gateway/protocol/ids.ts";
import { errorFields, log } from "#root/src/log.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import type { SendLink } from "../session/network-client.ts";
import type { Instance } from "../instance/instance.ts";
import type { Graph, GraphReply } from "./graph.ts";
import type { CloudIdTables } from "./id-tables.ts";
import { type CloudSends, graphUseOf } from "./sends.ts";
import { SendSlots, type Slot } from "./send-slots.ts";

/** Stands for this instance's access to Graph. It is compared by identity, like a socket. */
export type CloudSocket = { readonly kind: "cloud" };

export type CloudSendLinkDependencies = {
  connection: string;
  graph: Pick<Graph, "call">;
  phoneNumberId(): string | null;
  instance: Pick<Instance, "state">;
  ids: Pick<CloudIdTables, "recipientOf" | "person">;
  sends: CloudSends;
  upload(file: MediaRef, as: ReturnType<typeof filesOf>[number]["as"]): Promise<Outcome<string>>;
  commit(events: KeyedEvent[], now: number): void;
  doubt(now: number): void;
};

/** A request continues after its caller has its result, because a late response can still settle the message. */
const ANSWER_TIMEOUT_MS = 90_000;

const BUSY: Failure = { code: "unavailable", retryAfter: 2 };

/** Maximum time that later messages, in this chat and others, wait for a pending request. */
const OVERDUE_MS = 3_000;

/** `deadlineAt` is in Unix ms. A message whose request has not started by then is not sent. */
type Run = { request: SendRequest; deadlineAt: number };

export class CloudSendLink implements SendLink<CloudSocket> {
  readonly isRedialled = false;
  readonly #deps: CloudSendLinkDependencies;
  readonly #socket: CloudSocket = { kind: "cloud" };
  readonly #running = new Map<string, Run>();
  readonly #queues = new Map<string, Promise<void>>();
  readonly #slots = new SendSlots();
  #throttledBy: Failure = BUSY;

  constructor(deps: CloudSendLinkDependencies) {
    this.#deps = deps;
  }

  async ready(now: number, deadlineAt: number): Promise<Outcome<CloudSocket>> {
    const refused = this.#refusal() ?? (this.#slots.canAnswerBy(deadlineAt, now) ? null : this.#tooLate(now));
    return refused === null ? succeed(this.#socket) : fail(refused);
  }

  current(): CloudSocket | null {
    return this.#refusal() === null ? this.#socket : null;
  }

  generation(): number {
    return 0;
  }

  isMovingFrom(): boolean {
    return false;
  }

  mayStillWrite(messageId: string): boolean {
    const run = this.#running.get(messageId);
    return run !== undefined && Date.now() < run.deadlineAt;
  }

  wasWritten(messageId: string): boolean {
    return this.#deps.sends.isMarked(messageId);
  }

  send(_socket: CloudSocket, request: SendRequest, deadlineMs: number): void {
    const run: Run = { request, deadlineAt: Date.now() + deadlineMs };
    this.#deps.sends.unmark(request.message_id);
    this.#running.set(request.message_id, run);
    void this.#inOrder(run);
  }

  /** Sends messages in order within a chat, and in parallel across chats. */
  async #inOrder(run: Run): Promise<void> {
    const chatId = run.request.chat_id;
    const before = this.#queues.get(chatId);
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
    this.#queues.set(chatId, passed);
    await before;
    try {
      await this.#carryOut(run, pass);
    } finally {
      pass();
      if (this.#queues.get(chatId) === passed) this.#queues.delete(chatId);
    }
  }

  /** Graph cannot look up a message. The outcome of a send that this instance did not start is therefore unknown. */
  recall(_socket: CloudSocket, messageIds: string[]): void {
    const lost = messageIds.filter((id) => !this.#running.has(id));
    if (lost.length === 0) return;
    const events = lost.map((id) => settledEvent(id, { kind: "unknown" }));
    this.#deps.commit(events, Date.now());
  }

  async #carryOut(run: Run, pass: () => void): Promise<void> {
    const { message_id: id } = run.request;
    try {
      const outcome = await this.#attempt(run, pass);
      if (outcome !== null && this.#running.get(id) === run) this.#settle(run, outcome);
    } catch (error) {
      log("cloud.send_failed", { connection: this.#deps.connection, ...errorFields(error) });
    } finally {
      if (this.#running.get(id) === run) this.#running.delete(id);
      this.#deps.sends.ended(id);
    }
  }

  /** Returns null if the deadline passed before the request started. The caller already has its result. */
  async #attempt(run: Run, pass: () => void): Promise<Settling | null> {
    if (!this.#mayBegin(run, Date.now())) return null;
    const body = await this.#bodyOf(run.request);
    if (!body.ok) return refusedBy(body.failure);
    for (let tries = 1; ; tries += 1) {
      const slot = await this.#slots.take(run.deadlineAt, tries > 1);
      if (slot === null) return refusedBy({ ...this.#tooLate(Date.now()), ...(tries > 1 && { attempted: true }) });
      const now = Date.now();
      const refused = this.#refusal();
      if (refused !== null || !this.#mayBegin(run, now)) {
        slot.free();
        return refused === null ? null : refusedBy(refused);
      }
      const reply = await this.#ask(run.request, body.value, slot, { now, pass }).finally(() => slot.free());
      // Graph certainly did not send a message that it throttled, so the message is retried while its caller waits.
      if (reply.kind !== "refused" || !throttlesNumber(reply.error)) return this.#settlingOf(run.request, body.value, reply, Date.now());
    }
  }

  /** Starts the request and marks the send in the same synchronous step. */
  async #ask(request: SendRequest, body: GraphSend, slot: Slot, { now, pass }: { now: number; pass: () => void }): Promise<GraphReply> {
    const { graph, sends } = this.#deps;
    const path = `/${this.#deps.phoneNumberId() ?? ""}/messages`;
    sends.mark(request, now);
    const asked = graph.call({ method: "POST", path, json: body, timeoutMs: ANSWER_TIMEOUT_MS });
    const timer = setTimeout(() => {
      slot.overdue();
      pass();
    }, OVERDUE_MS);
    const reply = await asked;
    clearTimeout(timer);
    const isThrottled = reply.kind === "refused" && throttlesNumber(reply.error);
    if (isThrottled) {
      sends.unmark(request.message_id);
      const verdict = failureOf(reply.error, graphUseOf(request.content));
      if (verdict.kind === "refused") this.#throttledBy = verdict.failure;
    }
    if (reply.kind !== "lost") slot.answered(isThrottled ? "throttled" : reply.kind === "answered" ? "taken" : "refused");
    return reply;
  }

  #mayBegin(run: Run, now: number): boolean {
    return this.#running.get(run.request.message_id) === run && now < run.deadlineAt;
  }

  async #bodyOf(request: SendRequest): Promise<Outcome<GraphSend>> {
    // Yields once, so that the commit that handed over the message finishes first.
    await Promise.resolve();
    const recipient = this.#deps.ids.recipientOf(request.chat_id);
    if (recipient === null) return fail(chatKind(request.chat_id) === "group" ? "group_not_found" : "invalid_number");
    const uploaded = new Map<string, string>();
    for (const { file, as } of filesOf(request.content)) {
      const id = await this.#deps.upload(file, as);
      if (!id.ok) return id;
      uploaded.set(file.token, id.value);
    }
    const wamidOf = (messageId: string) => this.#wamidOf(messageId, request);
    return bodyOf(request, { recipient, wamidOf, mediaId: (file) => uploaded.get(file.token) ?? "" });
  }

  /** Graph's id for a message. Messages from others and from the owner's phone are stored under this id from the start. */
  #wamidOf(messageId: string, { quoted, content }: SendRequest): string | null {
    const wamid = this.#deps.sends.wamidOf(messageId);
    const ref = quoted?.ref.message_id === messageId ? quoted.ref : content.kind === "reaction" ? content.target : null;
    return wamid ?? (ref?.from_me === true && !messageId.startsWith("wamid.") ? null : messageId);
  }

  #settlingOf(request: SendRequest, body: GraphSend, reply: GraphReply, now: number): Settling {
    const { sends } = this.#deps;
    if (reply.kind === "answered") return this.#accepted(request, body, reply.json, now);
    if (reply.kind === "lost") return UNCERTAIN;
    const verdict = failureOf(reply.error, graphUseOf(request.content));
    // A server error with an unknown code also leaves the outcome unknown.
    if (verdict.kind === "uncertain" || (!verdict.known && reply.status >= 500)) return UNCERTAIN;
    sends.unmark(request.message_id);
    if (verdict.doubted) this.#deps.doubt(now);
    return refusedBy(verdict.failure);
  }

  #accepted(request: SendRequest, body: GraphSend, json: unknown, now: number): Settling {
    const parsed = SendResponse.safeParse(json);
    const [message] = parsed.data?.messages ?? [];
    if (message === undefined) return UNCERTAIN;
    const { sends } = this.#deps;
    const isGroup = chatKind(request.chat_id) === "group";
    const [contact] = isGroup ? [] : (parsed.data?.contacts ?? []);
    const person = this.#deps.ids.person({ wa_id: contact?.wa_id ?? undefined, user_id: contact?.user_id ?? undefined });
    const waId = person?.phone ?? null;
    const chatId = person === null || waId === null ? request.chat_id : chatIdOf(person);
    const outcome = sends.acknowledged(request, body, { chatId, waId, timestamp: Math.floor(now / 1000) });
    return { events: mappedEvents(person), outcome, after: () => sends.accepted(request.message_id, message.id, now) };
  }

  /** Stores Graph's id of the message, its outcome, and statuses that arrived earlier, in one synchronous step. */
  #settle({ request }: Run, { events, outcome, after }: Settling): void {
    const now = Date.now();
    const settled = settledEvent(request.message_id, outcome);
    // Applies the outcome first, because statuses refer to a sent message.
    this.#deps.commit([...events, settled], now);
    const later = after?.() ?? [];
    if (later.length > 0) this.#deps.commit(later, now);
  }

  #refusal(): Failure | null {
    const { state } = this.#deps.instance;
    if (state.status === "connecting") return { code: "instance_reconnecting", retryAfter: 2 };
    if (state.status !== "connected") return notConnected(state.reason);
    if (this.#deps.phoneNumberId() === null) return { code: "unavailable", retryAfter: 60 };
    return null;
  }

  #tooLate(now: number): Failure {
    const pausedMs = this.#slots.pausedMs(now);
    if (pausedMs === 0) return BUSY;
    const { attempted: _, ...failure } = this.#throttledBy;
    return { ...failure, retryAfter: retryAfterSeconds(pausedMs) };
  }
}

type Settling = { events: KeyedEvent[]; outcome: SendSettled["outcome"]; after?: () => KeyedEvent[] };
const UNCERTAIN: Settling = { events: [], outcome: { kind: "uncertain" } };

function refusedBy(failure: Failure): Settling {
  return { events: [], outcome: { kind: "refused", failure } };
}

function settledEvent(messageId: string, outcome: SendSettled["outcome"]): KeyedEvent {
  return { key: null, event: { type: "send.settled", message_id: messageId, outcome } };
}

/** The event that merges a person's chats, now that both of their ids are known. */
function mappedEvents(person: { phone: string | null; lid: string | null } | null): KeyedEvent[] {
  if (person === null || person.phone === null || person.lid === null) return [];
  return [{ key: null, event: { type: "lid.mapped", lid: person.lid, phone: person.phone } }];
}
