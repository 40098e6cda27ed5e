// Durable listeners: events are stored while a listener exists, and a stream reads them in order (docs/internals/delivery.md, "Listeners").
import { DeliveryIds } from "@gateway/domain/webhooks/delivery-ids.ts";
import type { GatewayFact, InstanceRef } from "@gateway/domain/gateway-event.ts";
import type { RenderContext, StyleName } from "@gateway/domain/webhooks/style/style.ts";
import { withDeliveryId } from "@gateway/domain/webhooks/style/body.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import {
  LISTENER_TAKEN,
  LISTENER_TIMES,
  type ListenerFrame,
  ListenerPull,
  ListenerSocketRequest,
  PLACE_STEP,
  type PulledEvent,
} from "@gateway/protocol/stream-sockets.ts";
import type { Caller } from "@gateway/protocol/connection.ts";
import { earliest } from "@gateway/protocol/units.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import { renderBodies } from "../delivery/rendered-bodies.ts";
import type { HandlersOf } from "../handlers.ts";
import { closeSocket } from "../session/session-sockets.ts";

export const LISTENER_MIGRATIONS: Migrations = [
  // `owner` is the creator's credential, with the prefix `guest:` for a person with whom the number is shared. `events` is JSON of the types
  // or null for all, and `lost_*` when events were dropped (Unix ms).
  `CREATE TABLE listener (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, style TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, events TEXT,
     expires_at INTEGER NOT NULL, lost_since INTEGER, lost_until INTEGER
   )`,
  // `no` has no gaps. The newest row always stays, so that numbers are never reused. `total` counts the characters in all bodies so far.
  `CREATE TABLE listener_event (
     listener INTEGER NOT NULL, no INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, total INTEGER NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (listener, no)
   ) WITHOUT ROWID`,
];

const TAG = "listener";
const MAX_LISTENERS = 5;
/** Marks the owner of a listener as a person with whom the number is shared. */
const GUEST = "guest:";
const BATCH = { events: 100, characters: 256 * 1024 } as const;
/** Event ids do not depend on the listener, so that a reader recognizes an event when it arrives through its next listener. */
const NO_QUEUE = 0;

export type BacklogBounds = { events: number; characters: number };
export const BACKLOG_BOUNDS: BacklogBounds = { events: 10_000, characters: 64 * 1024 * 1024 };

type ListenerRow = { seq: number; id: string; style: StyleName; owner: string; events: string | null; expires_at: number };
type Newest = { no: number; total: number };

type Host = {
  ctx: DurableObjectState;
  connection: string;
  renderContext: () => RenderContext;
  /** True while the credential may still read. This check covers only the keys of the Connection API. */
  isActive: (owner: string) => boolean;
  onChange: () => void;
};

export class Listeners implements Scheduled {
  readonly #host: Host;
  readonly #sql: SqlStorage;
  readonly #ids: DeliveryIds;
  readonly #bounds: BacklogBounds;
  /** Listeners with events that were stored in the current transaction. */
  readonly #fresh = new Set<string>();
  #rows: ListenerRow[] | null = null;

  constructor(host: Host, bounds = BACKLOG_BOUNDS) {
    this.#host = host;
    this.#sql = host.ctx.storage.sql;
    this.#ids = new DeliveryIds(host.connection);
    this.#bounds = bounds;
  }

  create(
    { style, name, events }: OperationInput<"listeners.create">,
    caller: Caller,
    now: number,
  ): Outcome<OperationOutput<"listeners.create">> {
    const owner = ownerOf(caller);
    this.run(now);
    const isGuest = caller.kind === "account" && caller.role !== "owner";
    if (this.#all().length >= MAX_LISTENERS && !this.#makeRoomFor(owner, isGuest)) return fail("listener_limit");
    const id = `lst_${crypto.randomUUID().replaceAll("-", "")}`;
    const expiresAt = now + LISTENER_TIMES.leaseMs;
    this.#sql.exec(
      "INSERT INTO listener (id, style, owner, name, events, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      style,
      isGuest ? GUEST + owner : owner,
      name,
      events === null ? null : JSON.stringify(events),
      expiresAt,
    );
    this.#rows = null;
    return succeed({ id, name, events, expires_at: expiresAt });
  }

  /** Fails with `listener_not_found` unless this caller created it. Extends the lease, so that the stream can open. */
  find(id: string, caller: Caller, now: number): Outcome<Record<string, never>> {
    const row = this.#find(id);
    if (row === null || !isOf(row, ownerOf(caller)) || row.expires_at <= now) return fail("listener_not_found");
    this.#lease(row, now + LISTENER_TIMES.streamMs + LISTENER_TIMES.leaseMs);
    return succeed({});
  }

  remove(id: string, caller: Caller, now: number): Outcome<Record<string, never>> {
    const found = this.find(id, caller, now);
    const row = found.ok ? this.#find(id) : null;
    if (row !== null) this.#delete(row);
    return found;
  }

  /** Opens the stream's socket, and closes the listener's earlier socket. */
  accept(request: string | null): Response {
    const { id } = ListenerSocketRequest.parse(JSON.parse(request ?? "null"));
    for (const earlier of this.#host.ctx.getWebSockets(id)) closeSocket(earlier, LISTENER_TAKEN, "another stream");
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#host.ctx.acceptWebSocket(ours, [TAG, id]);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#host.ctx.getTags(socket)[0] === TAG;
  }

  /** Answers a pull with the next events, if there are any. */
  message(socket: WebSocket, text: string | ArrayBuffer): void {
    const pull = ListenerPull.parse(JSON.parse(typeof text === "string" ? text : "null"));
    const row = this.#find(this.#idOf(socket));
    if (row === null || !this.#host.isActive(row.owner)) return closeSocket(socket, 1008, "no longer allowed");
    const newest = this.#newest(row.seq)?.no ?? 0;
    const after = this.#numberOf(row.seq, pull.after, newest);
    const missed = (this.#oldest(row.seq) ?? 1) - after - 1;
    // A gap without a stored time of loss does not mean dropped events: the reader had already received them.
    const lost = this.#lostTimes(row.seq);
    const gap = missed > 0 && lost.since !== null ? { missed, ...lost } : null;
    if (pull.received && gap === null) this.#forget(row.seq, after);
    this.#send(socket, { type: "batch", gap, events: this.#after(row.seq, after) });
  }

  closed(socket: WebSocket): void {
    const id = this.#idOf(socket);
    const row = this.#find(id);
    const others = this.#host.ctx.getWebSockets(id).filter((other) => other !== socket && other.readyState === WebSocket.OPEN);
    if (row !== null && others.length === 0) this.#lease(row, Date.now() + LISTENER_TIMES.leaseMs);
  }

  endAll(): void {
    for (const socket of this.#host.ctx.getWebSockets(TAG)) closeSocket(socket, 1008, "no longer allowed");
  }

  /** Stores the events for each listener, in the caller's transaction. Without listeners, writes nothing. */
  store(facts: readonly GatewayFact[], instance: InstanceRef, now: number): void {
    const rows = this.#all().filter(({ expires_at }) => expires_at > now);
    if (rows.length === 0) return;
    const context = { ...this.#host.renderContext(), instance };
    for (const style of Object.values(STYLES)) {
      const readers = rows.filter((row) => row.style === style.name);
      if (readers.length === 0) continue;
      for (const fact of facts) {
        for (const { type, dedupeKey, text } of renderBodies(style, fact, context, "listeners")) {
          const body = withDeliveryId(this.#ids.of(NO_QUEUE, `${style.name}:${type}`, dedupeKey), text);
          for (const row of readers) if (isWanted(row, type)) this.#add(row, type, body, now);
        }
      }
    }
  }

  rolledBack(): void {
    this.#fresh.clear();
  }

  /** Called after the transaction. The streams then pull the new events. */
  emit(): void {
    for (const id of this.#fresh) for (const socket of this.#host.ctx.getWebSockets(id)) this.#send(socket, { type: "more" });
    this.#fresh.clear();
  }

  nextDue(): number | null {
    return earliest(this.#all().map(({ expires_at }) => expires_at));
  }

  run(now: number): void {
    for (const row of this.#all()) if (row.expires_at <= now) this.#delete(row);
  }

  clockSetBack(): void {
    this.#rows = null;
  }

  #all(): readonly ListenerRow[] {
    return (this.#rows ??= this.#sql
      .exec<ListenerRow>("SELECT seq, id, style, owner, events, expires_at FROM listener ORDER BY seq")
      .toArray());
  }

  #find(id: string): ListenerRow | null {
    return this.#all().find((row) => row.id === id) ?? null;
  }

  #lease(row: ListenerRow, expiresAt: number): void {
    this.#sql.exec("UPDATE listener SET expires_at = ? WHERE seq = ?", expiresAt, row.seq);
    this.#rows = null;
    this.#host.onChange();
  }

  #delete(row: ListenerRow): void {
    this.#sql.exec("DELETE FROM listener WHERE seq = ?", row.seq);
    this.#sql.exec("DELETE FROM listener_event WHERE listener = ?", row.seq);
    this.#rows = null;
    for (const socket of this.#host.ctx.getWebSockets(row.id)) closeSocket(socket, 1008, "the listener ended");
  }

  /**
   * A killed process does not delete its listener, so a new listener replaces one of the same owner that nobody reads. Guests must not keep
   * the number's owner out, so their listeners make room, unread ones first.
   */
  #makeRoomFor(owner: string, isGuest: boolean): boolean {
    const rank = (row: ListenerRow) => Number(this.#host.ctx.getWebSockets(row.id).length > 0) + (isOf(row, owner) ? 0 : 2);
    const leaving = this.#all().filter((row) => (isOf(row, owner) ? rank(row) === 0 : !isGuest && row.owner.startsWith(GUEST)));
    const [first] = leaving.toSorted((a, b) => rank(a) - rank(b) || a.expires_at - b.expires_at);
    if (first !== undefined) this.#delete(first);
    return first !== undefined;
  }

  #add({ seq, id }: ListenerRow, type: string, body: string, now: number): void {
    const newest = this.#newest(seq) ?? { no: 0, total: 0 };
    const { no, total } = { no: newest.no + 1, total: newest.total + body.length };
    this.#sql.exec(
      "INSERT INTO listener_event (listener, no, at, type, total, body) VALUES (?, ?, ?, ?, ?, ?)",
      seq,
      no,
      now,
      type,
      total,
      body,
    );
    this.#fresh.add(id);
    this.#dropBeyond(seq, no, total);
  }

  #dropBeyond(seq: number, no: number, total: number): void {
    const { events, characters } = this.#bounds;
    for (;;) {
      const [oldest] = this.#sql
        .exec<{ no: number; at: number; total: number }>(
          "SELECT no, at, total FROM listener_event WHERE listener = ? ORDER BY no LIMIT 1",
          seq,
        )
        .toArray();
      if (oldest === undefined || oldest.no === no) return;
      if (no - oldest.no < events && total - oldest.total <= characters) return;
      this.#sql.exec("DELETE FROM listener_event WHERE listener = ? AND no = ?", seq, oldest.no);
      this.#sql.exec("UPDATE listener SET lost_since = coalesce(lost_since, ?), lost_until = ? WHERE seq = ?", oldest.at, oldest.at, seq);
    }
  }

  /**
   * Returns 0 for a place of another listener, or of this one before a restore from a backup. All events are then sent, and the reader
   * recognizes repeated ones by their ids.
   */
  #numberOf(seq: number, place: number, newest: number): number {
    const no = Math.floor(place / PLACE_STEP);
    const [event] = this.#sql.exec<{ at: number }>("SELECT at FROM listener_event WHERE listener = ? AND no = ?", seq, no).toArray();
    return no > newest || (event !== undefined && placeOf(no, event.at) !== place) ? 0 : no;
  }

  /** Deletes the events before the last received one. That one stays, because the reader's next place is compared with it. */
  #forget(seq: number, received: number): void {
    if (received <= 0) return;
    this.#sql.exec("DELETE FROM listener_event WHERE listener = ? AND no < ?", seq, received);
    this.#sql.exec("UPDATE listener SET lost_since = NULL, lost_until = NULL WHERE seq = ? AND lost_since IS NOT NULL", seq);
  }

  #after(seq: number, after: number): PulledEvent[] {
    const events: PulledEvent[] = [];
    let characters = 0;
    const rows = this.#sql.exec<{ no: number; at: number; type: string; body: string }>(
      "SELECT no, at, type, body FROM listener_event WHERE listener = ? AND no > ? ORDER BY no LIMIT ?",
      seq,
      after,
      BATCH.events,
    );
    for (const { no, at, type, body } of rows) {
      events.push({ place: placeOf(no, at), event: type, json: body });
      characters += body.length;
      if (characters >= BATCH.characters) break;
    }
    return events;
  }

  #newest(seq: number): Newest | null {
    const newest = "SELECT no, total FROM listener_event WHERE listener = ? ORDER BY no DESC LIMIT 1";
    return this.#sql.exec<Newest>(newest, seq).toArray()[0] ?? null;
  }

  #oldest(seq: number): number | null {
    const oldest = "SELECT no FROM listener_event WHERE listener = ? ORDER BY no LIMIT 1";
    return this.#sql.exec<{ no: number }>(oldest, seq).toArray()[0]?.no ?? null;
  }

  #lostTimes(seq: number): { since: number | null; until: number | null } {
    const times = "SELECT lost_since AS since, lost_until AS until FROM listener WHERE seq = ?";
    return this.#sql.exec<{ since: number | null; until: number | null }>(times, seq).one();
  }

  #idOf(socket: WebSocket): string {
    return this.#host.ctx.getTags(socket)[1] ?? "";
  }

  #send(socket: WebSocket, frame: ListenerFrame): void {
    try {
      socket.send(JSON.stringify(frame));
    } catch {
      // The socket is closed. Its reader resumes with a new one.
    }
  }
}

function placeOf(no: number, at: number): number {
  return no * PLACE_STEP + (at % PLACE_STEP);
}

function isWanted({ events }: ListenerRow, type: string): boolean {
  return events === null || (JSON.parse(events) as string[]).includes(type);
}

function isOf(row: ListenerRow, owner: string): boolean {
  return row.owner === owner || row.owner === GUEST + owner;
}

function ownerOf(caller: Caller): string {
  return caller.kind === "account" ? caller.subject : `${caller.kind}:${caller.hash}`;
}

export function listenerHandlers(listeners: Listeners): HandlersOf<"listeners.create" | "listeners.open" | "listeners.remove"> {
  return {
    "listeners.create": (input, { call, now }) => listeners.create(input, call.caller, now),
    "listeners.open": ({ id }, { call, now }) => listeners.find(id, call.caller, now),
    "listeners.remove": ({ id }, { call, now }) => listeners.remove(id, call.caller, now),
  };
}
