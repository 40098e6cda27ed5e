// Dispatches waiting sends through the outbox once they are due and the number may send (docs/internals/waiting-sends.md, "Storage").
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { earliest, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { WAITS_FOR } from "@gateway/protocol/operations/waiting.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Scheduled } from "../alarm.ts";
import type { Participant } from "../commit-handler.ts";
import type { AccountLimitsCache } from "../instance/health.ts";
import type { Instance } from "../instance/instance.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { Counters } from "../statistics/counters.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { Pacing } from "../outbox/pacing.ts";
import type { OpenSendRow } from "../outbox/rows.ts";
import type { SendLink } from "../session/network-client.ts";
import { pauseAfter, Retries, waitsAgain } from "./retries.ts";
import type { DueSend, WaitingRows, WaitingSend } from "./rows.ts";
import { UnderWay } from "./under-way.ts";

/** Fewer messages than a session can send within the shortest deadline, so that none of them expires in the bridge's queue. */
const MAX_UNDER_WAY = 20;
/** When to retry in case the outcome of a running send never wakes this object. */
const BACKSTOP_MS = MINUTE_MS;
const REDIAL_WAIT_MS = 10_000;
const PAUSE = "waiting_paused_until";

export type WaitsFor = (typeof WAITS_FOR)[number];

export type WaitingDependencies = {
  connection: string;
  kind: () => ConnectionKind;
  rows: WaitingRows;
  times: StoredTimes;
  instance: Pick<Instance, "state">;
  outbox: Outbox;
  pacing: Pacing;
  limits: AccountLimitsCache;
  link: () => SendLink;
  /** Returns the id under which a chat is stored. */
  storedId: (chatId: ChatId) => ChatId;
  /** True while the account is suspended or unpaid. */
  isStopped: () => boolean;
  /** Ends these sends as failed, with one event each, in one transaction. */
  end: (sends: readonly WaitingSend[], failure: Failure, now: number) => void;
  onChanged: () => void;
  rearm: () => void;
};

/** While `conditions` stay the same, no further send is possible before `wakeAt` (Unix ms). */
type Held = { conditions: string; wakeAt: number | null };

type HeldChat = {
  /** When the chat may be allowed (Unix ms); null if unknown. */
  at: number | null;
  /** When the rules are checked again (Unix ms), in case the chat became known. */
  checkAt: number;
};

export class WaitingSends implements Scheduled {
  readonly #deps: WaitingDependencies;
  readonly #underWay: UnderWay;
  readonly #retries = new Retries();
  /** Takes part in a commit's transaction. */
  readonly participants: readonly Participant[] = [
    this.#retries,
    { rolledBack: () => this.#resetCaches(), savepoint: () => () => this.#resetCaches() },
  ];
  #held: Held | null = null;
  /** Chats that the rules for new chats hold back. They are remembered, so that each outcome does not check thousands of them again. */
  readonly #heldChats = new Map<ChatId, HeldChat>();
  #rules = "";
  #acceptedAt = 0;

  constructor(deps: WaitingDependencies) {
    this.#deps = deps;
    this.#underWay = new UnderWay(deps.outbox);
  }

  /** Checks and stores in one synchronous step. Fails with `waiting_limit` or `waiting_files_limit`. */
  add(send: Omit<WaitingSend, "acceptedAt">, now: number): Outcome<WaitingSend> {
    const refused = this.refusal(send.bytes);
    if (refused !== null) return fail(refused);
    // Increases with each send, so that sends accepted in the same millisecond are dispatched in the order of acceptance.
    this.#acceptedAt = Math.max(now, this.#acceptedAt + 1);
    const added = { ...send, acceptedAt: this.#acceptedAt };
    this.#deps.rows.put(added);
    this.changed();
    return succeed(added);
  }

  /** Why a send with files of this size does not fit, or null if it fits. */
  refusal(bytes: number): Failure | null {
    const { count, bytes: stored } = this.#deps.rows.total;
    if (count >= LIMITS.waitingSends) return { code: "waiting_limit", details: { limit: LIMITS.waitingSends } };
    if (bytes > 0 && stored + bytes > LIMITS.waitingFileBytes)
      return { code: "waiting_files_limit", details: { limit_bytes: LIMITS.waitingFileBytes } };
    return null;
  }

  changed(): void {
    this.#held = null;
    this.#deps.onChanged();
  }

  /** Lets a message that certainly was not sent wait again, in the caller's transaction. Returns false if its failure is final. */
  takeBack({ request, details }: OpenSendRow, failure: Failure, now: number): boolean {
    const { delivery } = details;
    if (delivery === undefined || !waitsAgain(failure)) return false;
    const { at, until, acceptedAt, bytes } = delivery;
    this.#deps.rows.put({ request, details, at, until, acceptedAt, bytes });
    const pauseMs = pauseAfter(failure, this.#deps.kind());
    if (pauseMs > 0) this.#deps.times.set(PAUSE, now + pauseMs);
    this.#retries.add(request.message_id, failure, now);
    this.changed();
    return true;
  }

  #resetCaches(): void {
    this.#deps.rows.resetCache();
    this.#deps.times.resetCache();
    this.#held = null;
  }

  waitsFor({ at, request }: WaitingSend, now: number): WaitsFor {
    if (at > now) return "time";
    if (!this.#canSend()) return "connection";
    const why = this.#deps.pacing.blockOfWaiting(this.#deps.storedId(request.chat_id), now)?.why;
    return why === "restriction" || why === "new_chat_quota" ? "restriction" : "pace";
  }

  /** Called after WhatsApp has reported what the number is allowed to do. */
  standingChanged(): void {
    this.#heldChats.clear();
    if (this.#held === null) return;
    this.#held = null;
    this.#deps.rearm();
  }

  /** Called once these events are stored. They may make a held chat known, so that the rules for new chats no longer apply to it. */
  eventsApplied(events: readonly KeyedEvent[]): void {
    if (this.#heldChats.size === 0) return;
    for (const { event } of events) {
      const chatId = chatOf(event);
      if (chatId !== null && this.#heldChats.delete(this.#deps.storedId(chatId))) this.#held = null;
    }
  }

  clockSetBack(): void {
    this.#acceptedAt = 0;
    this.#retries.clear();
    this.#deps.rows.resetCache();
    this.#heldChats.clear();
    this.#held = null;
  }

  nextDue(now: number): number | null {
    const first = this.#deps.rows.firstAt();
    if (first === null || first > now) return first;
    return this.#held?.conditions === this.#conditions() ? this.#held.wakeAt : now;
  }

  run(now: number): void {
    const due = this.nextDue(now);
    if (due === null || due > now) return;
    const waiting = this.#withoutExpired(this.#deps.rows.due(now), now);
    const until = waiting.length === 0 ? null : Math.min(...waiting.map((send) => send.until));
    const wakeAt = this.#canSend() ? this.#leave(waiting, now) : this.#redial(now);
    this.#held = { conditions: this.#conditions(), wakeAt: earliest([until, wakeAt, this.#deps.rows.firstAfter(now)]) };
  }

  #withoutExpired(due: DueSend[], now: number): DueSend[] {
    const expired = due.filter((send) => send.until <= now);
    if (expired.length === 0) return due;
    this.#end(expired, { code: "expired" }, now);
    return due.filter((send) => send.until > now);
  }

  #end(sends: readonly DueSend[], failure: Failure, now: number): void {
    const found = sends.map(({ id }) => this.#deps.rows.find(id)).filter((send) => send !== null);
    this.#deps.end(found, failure, now);
    this.#deps.onChanged();
  }

  /** Dispatches as many due sends as possible. Returns the time at which more can be sent even if no event occurs, or null if unknown. */
  #leave(due: readonly DueSend[], now: number): number | null {
    const pausedUntil = this.#deps.times.get(PAUSE) ?? 0;
    if (pausedUntil > now) return pausedUntil;
    this.#deps.times.delete(PAUSE);
    this.#followRules();
    this.#underWay.refresh();
    const wakes: (number | null)[] = [];
    const busy = new Set([...this.#underWay.chats()].map((chatId) => this.#deps.storedId(chatId)));
    for (const stored of due) {
      if (this.#underWay.size >= MAX_UNDER_WAY) break;
      // The phone number of a LID may have become known since the send was accepted.
      const send = { ...stored, chatId: this.#deps.storedId(stored.chatId) };
      if (busy.has(send.chatId)) continue;
      busy.add(send.chatId);
      const retryAt = this.#retries.at(send.id);
      if (retryAt > now) {
        wakes.push(retryAt);
        continue;
      }
      const held = this.#heldChats.get(send.chatId);
      if (held !== undefined && held.checkAt > now) {
        wakes.push(held.at);
        continue;
      }
      // The quota must be current before it decides about a new chat. WhatsApp's response will then wake this send.
      if (this.#deps.pacing.guardsWaiting(send.chatId) && this.#deps.limits.isOutdated()) {
        void this.#deps.limits.get();
        wakes.push(now + BACKSTOP_MS);
        continue;
      }
      const claim = this.#deps.pacing.claim({ chat_id: send.chatId, message_id: send.id }, now);
      if (claim.kind === "refused") this.#end([send], claim.failure, now);
      else if (claim.kind === "claimed") this.#dispatch(send, now);
      else {
        wakes.push(claim.at);
        if (claim.ofAll) break;
        this.#heldChats.set(send.chatId, { at: claim.at, checkAt: Math.min(claim.at ?? Infinity, now + BACKSTOP_MS) });
      }
    }
    return earliest([...wakes, this.#underWay.size === 0 ? null : now + BACKSTOP_MS]);
  }

  #followRules(): void {
    const { instance, limits, pacing } = this.#deps;
    const rules = JSON.stringify([instance.state.restriction, limits.version, pacing.settings, pacing.released]);
    if (rules !== this.#rules) this.#heldChats.clear();
    this.#rules = rules;
  }

  #dispatch({ id, chatId }: DueSend, now: number): void {
    const { rows, outbox } = this.#deps;
    const send = rows.find(id);
    // The row of this send was rolled back, or is left over because an earlier deletion failed.
    if (send === null || outbox.hasLeft(id)) return rows.remove(id);
    const { request, details, at, until, acceptedAt, bytes } = send;
    const delivery = { at, until, acceptedAt, bytes };
    const outcome = outbox.dispatch({ ...request, chat_id: chatId }, { ...details, delivery }, until, now);
    // The connection broke within this step, so the send keeps waiting.
    if (outcome === null) return;
    rows.remove(id);
    this.#underWay.add(id, chatId);
    this.#deps.onChanged();
    void this.#ended(id, chatId, outcome);
  }

  async #ended(id: string, chatId: ChatId, outcome: Promise<Outcome<unknown>>): Promise<void> {
    try {
      this.#deps.pacing.ended({ chat_id: chatId, message_id: id }, await outcome);
    } catch (error) {
      this.#failed(error);
    }
    this.#underWay.ended(id);
    this.#held = null;
    try {
      if (this.#deps.rows.find(id) === null) this.#retries.forget(id);
      this.run(Date.now());
    } catch (error) {
      // The disk may be full. The alarm tries again.
      this.#failed(error);
    }
    this.#deps.rearm();
  }

  #failed(error: unknown): void {
    log("waiting.send_failed", { connection: this.#deps.connection, ...errorFields(error) });
  }

  /** Asks the bridge to reconnect, in case an eviction closed its socket. */
  #redial(now: number): number | null {
    if (this.#deps.isStopped() || this.#deps.instance.state.status !== "connected") return null;
    void this.#deps.link().ready(now, now + REDIAL_WAIT_MS);
    return now + BACKSTOP_MS;
  }

  #canSend(): boolean {
    const { instance, isStopped, link } = this.#deps;
    return !isStopped() && instance.state.status === "connected" && link().current() !== null;
  }

  /** The conditions that hold sends back. When they change, held sends are tried again. */
  #conditions(): string {
    const { instance, limits, pacing } = this.#deps;
    this.#underWay.refresh();
    return JSON.stringify([
      this.#canSend(),
      instance.state.restriction,
      limits.version,
      pacing.settings,
      pacing.released,
      this.#underWay.size,
    ]);
  }
}

function chatOf(event: NetworkEvent): ChatId | null {
  switch (event.type) {
    case "message.upsert":
      return event.message.chat_id;
    case "send.settled":
      return event.outcome.kind === "acknowledged" ? event.outcome.message.chat_id : null;
    case "lid.mapped":
      return `${event.phone}@c.us`;
    default:
      return "chat_id" in event ? event.chat_id : null;
  }
}

type Ending = { rows: WaitingRows; sendProjection: OwnSendProjection; counters: Counters };

/** Stores the sends as failed messages. Runs in a transaction. */
export function endWaiting(
  { rows, sendProjection, counters }: Ending,
  sends: readonly WaitingSend[],
  failure: Failure,
  now: number,
): GatewayFact[] {
  return sends.flatMap(({ request, details }) => {
    rows.remove(request.message_id);
    sendProjection.accepted(request, details.source, details.reference, now);
    counters.add(`failed.${request.content.kind}`);
    counters.add(`error.${failure.code}`);
    return sendProjection.failed(request.message_id, failure, now);
  });
}
