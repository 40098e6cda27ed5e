// Messages on their way to Graph (docs/cloud-api.md, "Sending"): prepared, marked, asked once. What becomes of them is an event, as on
// sessions; a message that may have left is never asked for again.
import { failureOf, holdsNumber } from "../../../src/domain/cloud/failures.ts";
import { SendAnswer } from "../../../src/domain/cloud/graph-values.ts";
import { bodyOf, filesOf, type GraphSend } from "../../../src/domain/cloud/request.ts";
import type { MediaRef, SendRequest } from "../../../src/protocol/content.ts";
import type { KeyedEvent, SendSettled } from "../../../src/protocol/events.ts";
import { fail, type Failure, type Outcome } from "../../../src/protocol/failures.ts";
import { chatIdOf, chatKind } from "../../../src/protocol/ids.ts";
import { errorFields, log } from "../../../src/log.ts";
import { retryAfterSeconds } from "../../../src/domain/admission/sliding-window.ts";
import type { SendLink } from "../outbox/outbox.ts";
import type { Instance } from "../session/instance.ts";
import type { Graph, GraphAnswer } from "./graph.ts";
import type { CloudIdTables } from "./id-tables.ts";
import { type CloudSends, useOf } from "./sends.ts";

/** The object's way to Graph in this memory. */
export type CloudLine = { readonly kind: "cloud" };

export type LineDependencies = {
  connection: string;
  graph: Pick<Graph, "send">;
  /** Null while there are no credentials that can be opened. */
  phoneNumberId(): string | null;
  instance: Pick<Instance, "state">;
  ids: Pick<CloudIdTables, "recipientOf" | "person">;
  sends: CloudSends;
  /** Graph's id of the file, for one message. Sends nothing. */
  upload(file: MediaRef, as: ReturnType<typeof filesOf>[number]["as"]): Promise<Outcome<string>>;
  commit(events: KeyedEvent[], now: number): void;
  /** Graph's answer puts the credentials in doubt. */
  doubt(now: number): void;
};

/** A request lives on after its caller was answered: a late answer still settles the message. */
const ANSWER_TIMEOUT_MS = 90_000;

/** So long the next message of a chat waits for the answer of the one before: only what Graph has answered is certainly before it. */
const IN_ORDER_MS = 3_000;

/** `deadlineAt` (Unix ms): a message that has not begun by then does not leave any more. */
type Run = { request: SendRequest; deadlineAt: number };

export class CloudSendLink implements SendLink<CloudLine> {
  readonly #deps: LineDependencies;
  readonly #line: CloudLine = { kind: "cloud" };
  /** Messages that this memory has taken over and that are not settled, by id. */
  readonly #running = new Map<string, Run>();
  /** By chat: when the next message of it may begin. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Graph takes no message of this number until then. */
  #pause: { until: number; failure: Failure } | null = null;

  constructor(deps: LineDependencies) {
    this.#deps = deps;
  }

  async ready(now: number): Promise<Outcome<CloudLine>> {
    const refused = this.#refusal(now);
    return refused === null ? { ok: true, value: this.#line } : fail(refused);
  }

  current(): CloudLine | null {
    return this.#refusal(Date.now()) === null ? this.#line : null;
  }

  /** Only sessions have generations. */
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

  send(_line: CloudLine, request: SendRequest, deadlineMs: number): void {
    const run: Run = { request, deadlineAt: Date.now() + deadlineMs };
    // An earlier attempt that was refused has left its mark and name.
    this.#deps.sends.unmark(request.message_id);
    this.#running.set(request.message_id, run);
    void this.#inTurn(run);
  }

  /** As on sessions: in order within a chat, side by side across chats. */
  async #inTurn(run: Run): Promise<void> {
    const chatId = run.request.chat_id;
    const before = this.#turns.get(chatId);
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
    this.#turns.set(chatId, passed);
    await before;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.#carryOut(run, () => (timer = setTimeout(pass, IN_ORDER_MS)));
    } finally {
      clearTimeout(timer);
      pass();
      if (this.#turns.get(chatId) === passed) this.#turns.delete(chatId);
    }
  }

  /** Graph cannot be asked what became of a message: whatever this memory has not taken over is unknown. */
  recall(_line: CloudLine, messageIds: string[]): void {
    const lost = messageIds.filter((id) => !this.#running.has(id));
    if (lost.length === 0) return;
    const events = lost.map((id) => settledEvent(id, { kind: "unknown" }));
    this.#deps.commit(events, Date.now());
  }

  /** `begun`: called when its request begins. */
  async #carryOut(run: Run, begun: () => void): Promise<void> {
    const { message_id: id } = run.request;
    try {
      const outcome = await this.#attempt(run, begun);
      if (outcome !== null && this.#running.get(id) === run) this.#settle(run, outcome);
    } catch (error) {
      // Nothing could be stored. Whoever waits is told by the deadline.
      log("cloud.send_failed", { connection: this.#deps.connection, ...errorFields(error) });
    } finally {
      if (this.#running.get(id) === run) this.#running.delete(id);
      this.#deps.sends.ended(id);
    }
  }

  /** Null: its time was over before it began, which its caller has been told. */
  async #attempt(run: Run, begun: () => void): Promise<Settling | null> {
    if (!this.#mayBegin(run, Date.now())) return null;
    const body = await this.#bodyOf(run.request);
    if (!body.ok) return { events: [], outcome: { kind: "refused", failure: body.failure } };
    const phoneNumberId = this.#deps.phoneNumberId() ?? "";
    let refused: Failure | null = null;
    const call = { method: "POST", path: `/${phoneNumberId}/messages`, json: body.value, timeoutMs: ANSWER_TIMEOUT_MS } as const;
    const answer = await this.#deps.graph.send(call, () => {
      const now = Date.now();
      if (!this.#mayBegin(run, now)) return false;
      refused = this.#refusal(now);
      if (refused !== null) return false;
      this.#deps.sends.mark(run.request, now);
      begun();
      return true;
    });
    if (answer !== null) return this.#settlingOf(run.request, body.value, answer, Date.now());
    return refused === null ? null : { events: [], outcome: { kind: "refused", failure: refused } };
  }

  #mayBegin(run: Run, now: number): boolean {
    return this.#running.get(run.request.message_id) === run && now < run.deadlineAt;
  }

  /** Files are uploaded before: that sends nothing. */
  async #bodyOf(request: SendRequest): Promise<Outcome<GraphSend>> {
    // The commit in which it was handed over must be complete.
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

  /** Messages of others, and those of the owner's phone, have Graph's name as their id. */
  #wamidOf(messageId: string, { quoted, content }: SendRequest): string | null {
    const wamid = this.#deps.sends.wamidOf(messageId);
    const ref = quoted?.ref.message_id === messageId ? quoted.ref : content.kind === "reaction" ? content.target : null;
    return wamid ?? (ref?.from_me === true && !messageId.startsWith("wamid.") ? null : messageId);
  }

  #settlingOf(request: SendRequest, body: GraphSend, answer: GraphAnswer, now: number): Settling {
    const { sends } = this.#deps;
    if (answer.kind === "answered") return this.#accepted(request, body, answer.json, now);
    if (answer.kind === "lost") return UNCERTAIN;
    const verdict = failureOf(answer.error, useOf(request.content));
    // With a code that is not known and a failure of Graph itself, nobody knows either.
    if (verdict.kind === "uncertain" || (!verdict.known && answer.status >= 500)) return UNCERTAIN;
    sends.unmark(request.message_id);
    if (verdict.doubted) this.#deps.doubt(now);
    const { failure } = verdict;
    if (holdsNumber(answer.error)) this.#pause = { until: now + (failure.retryAfter ?? 60) * 1000, failure };
    return { events: [], outcome: { kind: "refused", failure } };
  }

  /** Without a name of the message, Graph's answer is none. */
  #accepted(request: SendRequest, body: GraphSend, json: unknown, now: number): Settling {
    const parsed = SendAnswer.safeParse(json);
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

  /** In one synchronous step: the message's name, its outcome, and the statuses that came before its answer. */
  #settle({ request }: Run, { events, outcome, after }: Settling): void {
    const now = Date.now();
    const settled = settledEvent(request.message_id, outcome);
    // The outcome is applied first: statuses are of a message that was sent.
    this.#deps.commit([...events, settled], now);
    const later = after?.() ?? [];
    if (later.length > 0) this.#deps.commit(later, now);
  }

  #refusal(now: number): Failure | null {
    const { status } = this.#deps.instance.state;
    if (status === "connecting") return { code: "instance_reconnecting", retryAfter: 2 };
    if (status !== "connected") return { code: "instance_not_connected" };
    if (this.#deps.phoneNumberId() === null) return { code: "unavailable", retryAfter: 60 };
    if (this.#pause !== null && this.#pause.until <= now) this.#pause = null;
    if (this.#pause === null) return null;
    const { attempted: _, ...failure } = this.#pause.failure;
    return { ...failure, retryAfter: retryAfterSeconds(this.#pause.until - now) };
  }
}

/** `after`: what follows once the outcome is stored. */
type Settling = { events: KeyedEvent[]; outcome: SendSettled["outcome"]; after?: () => KeyedEvent[] };
const UNCERTAIN: Settling = { events: [], outcome: { kind: "uncertain" } };

function settledEvent(messageId: string, outcome: SendSettled["outcome"]): KeyedEvent {
  return { key: null, event: { type: "send.settled", message_id: messageId, outcome } };
}

/** Both names of somebody became known: their chats are one. */
function mappedEvents(person: { phone: string | null; lid: string | null } | null): KeyedEvent[] {
  if (person === null || person.phone === null || person.lid === null) return [];
  return [{ key: null, event: { type: "lid.mapped", lid: person.lid, phone: person.phone } }];
}
