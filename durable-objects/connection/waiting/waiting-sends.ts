// Dispatches waiting sends through the outbox once they are due and the number may send (docs/internals/waiting-sends.md, "Storage").
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { earliest, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { WAITS_FOR } from "@gateway/protocol/operations/waiting.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import type { CommitHandler, Participant } from "../commit-handler.ts";
import type { AccountLimitsCache } from "../instance/account-limits-cache.ts";
import type { Identity } from "../instance/identity.ts";
import type { Instance } from "../instance/instance.ts";
import type { OwnSendProjection } from "../messages/own-sends.ts";
import type { Counters } from "../statistics/counters.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { Pacing } from "../outbox/pacing.ts";
import type { OpenSendRow } from "../outbox/outbox-rows.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { pauseAfter, Retries, waitsAgain } from "./retries.ts";
import { type DueSend, WaitingRows, type WaitingSend } from "./waiting-rows.ts";

/** Fewer messages than a session can send within the shortest deadline, so that none of them expires in the bridge's queue. */
const MAX_UNDER_WAY = 20;
/** Fallback retry delay, in case no outcome of an in-flight send wakes this object. */
const BACKSTOP_MS = MINUTE_MS;
const REDIAL_WAIT_MS = 10_000;
const PAUSE = "waiting_paused_until";

export type WaitsFor = (typeof WAITS_FOR)[number];

export type WaitingDependencies = {
  sql: SqlStorage;
  identity: Identity;
  times: StoredTimes;
  instance: Pick<Instance, "state">;
  outbox: Outbox;
  pacing: Pacing;
  limits: AccountLimitsCache;
  network: Pick<NetworkClient, "link">;
  stores: Pick<Stores, "lids">;
  projection: OwnSendProjection;
  counters: Counters;
  commitHandler: () => Pick<CommitHandler, "report">;
  onChanged: () => void;
  rearm: () => void;
};

/** While `conditions` stay the same, no further send is possible before `wakeAt` (Unix ms). */
type HeldSends = { conditions: string; wakeAt: number | null };

type HeldChat = {
  /** When sends to the chat may be allowed (Unix ms), or null if unknown. */
  at: number | null;
  /** When the rules are checked again (Unix ms), in case the chat became known. */
  checkAt: number;
};

export class WaitingSends implements Scheduled {
  readonly rows: WaitingRows;
  readonly #deps: WaitingDependencies;
  /** The chat of each in-flight send, by message id. Each chat has only one at a time, which keeps its messages in order. */
  readonly #underWay = new Map<string, ChatId>();
  /** Ids of the sends that an evicted instance dispatched, or null until they are read. Their rows say when they have ended. */
  #inherited: Set<string> | null = null;
  readonly #retries = new Retries();
  readonly participants: readonly Participant[] = [
    this.#retries,
    { rolledBack: () => this.#resetCaches(), savepoint: () => () => this.#resetCaches() },
  ];
  #held: HeldSends | null = null;
  /** Chats that the rules for new chats hold back. They are remembered, so that each outcome does not check thousands of them again. */
  readonly #heldChats = new Map<ChatId, HeldChat>();
  #rules = "";
  #acceptedAt = 0;

  constructor(deps: WaitingDependencies) {
    this.#deps = deps;
    this.rows = new WaitingRows(deps.sql);
  }

  /** Checks and stores in one synchronous step. Fails with `waiting_limit` or `waiting_files_limit`. */
  add(send: Omit<WaitingSend, "acceptedAt">, now: number): Outcome<WaitingSend> {
    const refused = this.refusal(send.bytes);
    if (refused !== null) return fail(refused);
    // Increases with each send, so that sends accepted in the same millisecond are dispatched in the order of acceptance.
    this.#acceptedAt = Math.max(now, this.#acceptedAt + 1);
    const added = { ...send, acceptedAt: this.#acceptedAt };
    this.rows.put(added);
    this.changed();
    return succeed(added);
  }

  refusal(bytes: number): Failure | null {
    const { count, bytes: stored } = this.rows.total;
    if (count >= LIMITS.waitingSends) return { code: "waiting_limit", details: { limit: LIMITS.waitingSends } };
    if (bytes > 0 && stored + bytes > LIMITS.waitingFileBytes)
      return { code: "waiting_files_limit", details: { limit_bytes: LIMITS.waitingFileBytes } };
    return null;
  }

  remove(messageId: string): void {
    this.rows.remove(messageId);
    this.#retries.forget(messageId);
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
    this.rows.put({ request, details, at, until, acceptedAt, bytes });
    const pauseMs = pauseAfter(failure, this.#deps.identity.kind);
    if (pauseMs > 0) this.#deps.times.set(PAUSE, Math.max(this.#deps.times.get(PAUSE) ?? 0, now + pauseMs));
    this.#retries.add(request.message_id, failure, now);
    this.changed();
    return true;
  }

  #resetCaches(): void {
    this.rows.resetCache();
    this.#deps.times.resetCache();
    this.#held = null;
  }

  waitsFor({ at, request }: WaitingSend, now: number): WaitsFor {
    if (at > now) return "time";
    if (!this.#canSend()) return "connection";
    const why = this.#deps.pacing.blockOfWaiting(this.#storedId(request.chat_id), now)?.why;
    return why === "restriction" || why === "new_chat_quota" ? "restriction" : "pace";
  }

  /** Called after WhatsApp has reported what the number is allowed to do, and when a new chat stops counting against the limits. */
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
      if (chatId !== null && this.#heldChats.delete(this.#storedId(chatId))) this.#held = null;
    }
  }

  clockSetBack(): void {
    this.#acceptedAt = 0;
    this.#retries.clear();
    this.rows.resetCache();
    this.#heldChats.clear();
    this.#held = null;
  }

  nextDue(now: number): number | null {
    const first = this.rows.firstAt();
    if (first === null || first > now) return first;
    return this.#held?.conditions === this.#conditions() ? this.#held.wakeAt : now;
  }

  run(now: number): void {
    const due = this.nextDue(now);
    if (due === null || due > now) return;
    const waiting = this.#withoutExpired(this.rows.due(now), now);
    const until = waiting.length === 0 ? null : Math.min(...waiting.map((send) => send.until));
    const wakeAt = this.#canSend() ? this.#leave(waiting, now) : this.#redial(now);
    this.#held = { conditions: this.#conditions(), wakeAt: earliest([until, wakeAt, this.rows.firstAfter(now)]) };
  }

  #withoutExpired(due: DueSend[], now: number): DueSend[] {
    const expired = due.filter((send) => send.until <= now);
    if (expired.length === 0) return due;
    this.#end(expired, { code: "expired" }, now);
    return due.filter((send) => send.until > now);
  }

  /** Stores the sends as failed messages, with one event each, in one transaction. */
  #end(sends: readonly DueSend[], failure: Failure, now: number): void {
    const { projection, counters, commitHandler, onChanged } = this.#deps;
    const found = sends.map(({ id }) => this.rows.find(id)).filter((send) => send !== null);
    const failed = ({ request, details }: WaitingSend): GatewayFact[] => {
      this.remove(request.message_id);
      projection.accepted(request, details.source, details.reference, now);
      counters.add(`failed.${request.content.kind}`);
      counters.add(`error.${failure.code}`);
      return projection.failed(request.message_id, failure, now);
    };
    commitHandler().report(() => found.flatMap(failed), now);
    onChanged();
  }

  /** Dispatches as many due sends as possible. Returns the time at which more can be sent even if no event occurs, or null if unknown. */
  #leave(due: readonly DueSend[], now: number): number | null {
    const pausedUntil = this.#deps.times.get(PAUSE) ?? 0;
    if (pausedUntil > now) return pausedUntil;
    this.#deps.times.delete(PAUSE);
    this.#followRules();
    this.#readUnderWay();
    const wakes: (number | null)[] = [];
    const busy = new Set([...this.#underWay.values()].map((chatId) => this.#storedId(chatId)));
    for (const stored of due) {
      if (this.#underWay.size >= MAX_UNDER_WAY) break;
      // The phone number of a LID may have become known since the send was accepted.
      const send = { ...stored, chatId: this.#storedId(stored.chatId) };
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

  /** Adds the sends that an evicted instance dispatched, and drops those that have ended since. */
  #readUnderWay(): void {
    const { outbox } = this.#deps;
    if (this.#inherited === null) {
      const sends = outbox.dispatchedAfterWaiting();
      this.#inherited = new Set(sends.map((send) => send.message_id));
      for (const send of sends) this.#underWay.set(send.message_id, send.chat_id);
    }
    for (const id of this.#inherited) {
      if (outbox.isDispatched(id)) continue;
      this.#inherited.delete(id);
      this.#underWay.delete(id);
    }
  }

  #followRules(): void {
    const rules = this.#rulesNow();
    if (rules !== this.#rules) this.#heldChats.clear();
    this.#rules = rules;
  }

  #rulesNow(): string {
    const { instance, limits, pacing } = this.#deps;
    return JSON.stringify([instance.state.restriction, limits.version, pacing.settings]);
  }

  #dispatch({ id, chatId }: DueSend, now: number): void {
    const { outbox } = this.#deps;
    const send = this.rows.find(id);
    // The row of this send was rolled back, or is left over because an earlier deletion failed.
    if (send === null || outbox.hasLeft(id)) return this.remove(id);
    const { request, details, at, until, acceptedAt, bytes } = send;
    const delivery = { at, until, acceptedAt, bytes };
    const outcome = outbox.dispatch({ ...request, chat_id: chatId }, { ...details, delivery }, until, now);
    // The connection broke within this step, so the send keeps waiting.
    if (outcome === null) return;
    this.rows.remove(id);
    this.#underWay.set(id, chatId);
    this.#deps.onChanged();
    void this.#ended(id, chatId, outcome);
  }

  async #ended(id: string, chatId: ChatId, outcome: Promise<Outcome<unknown>>): Promise<void> {
    try {
      this.#deps.pacing.ended({ chat_id: chatId, message_id: id }, await outcome);
    } catch (error) {
      this.#failed(error);
    }
    this.#underWay.delete(id);
    this.#held = null;
    try {
      if (this.rows.find(id) === null) this.#retries.forget(id);
      this.run(Date.now());
    } catch (error) {
      // The disk may be full. The alarm tries again.
      this.#failed(error);
    }
    this.#deps.rearm();
  }

  #failed(error: unknown): void {
    log("waiting.send_failed", { connection: this.#deps.identity.uuid, ...errorFields(error) });
  }

  /** Asks the bridge to reconnect, in case an eviction closed its socket. */
  #redial(now: number): number | null {
    if (this.#isStopped() || this.#deps.instance.state.status !== "connected") return null;
    void this.#deps.network.link.ready(now, now + REDIAL_WAIT_MS);
    return now + BACKSTOP_MS;
  }

  #canSend(): boolean {
    const { instance, network } = this.#deps;
    return !this.#isStopped() && instance.state.status === "connected" && network.link.current() !== null;
  }

  /** True while the account is suspended or unpaid. */
  #isStopped(): boolean {
    const { record } = this.#deps.identity;
    return record === null || record.owner_suspended || !record.subscription_active;
  }

  #storedId(chatId: ChatId): ChatId {
    return this.#deps.stores.lids.chat(chatId);
  }

  /** The conditions that hold sends back. When they change, held sends are tried again. */
  #conditions(): string {
    this.#readUnderWay();
    return JSON.stringify([this.#canSend(), this.#rulesNow(), this.#underWay.size]);
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
