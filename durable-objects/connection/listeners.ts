// Streams of the Account API's events (docs/account-api.md, "Event streams"). The object tells them what happens and otherwise forgets
// them: no timer, and it hibernates under their sockets. What it has told lately is kept in memory alone, for a listener that comes back.
import type { GatewayFact } from "../../src/domain/gateway-event.ts";
import { ACCOUNT_STYLE } from "../../src/domain/webhooks/style/account.ts";
import { withDeliveryId, serializeBody } from "../../src/domain/webhooks/style/body.ts";
import { render, type RenderContext } from "../../src/domain/webhooks/style/style.ts";
import { type EventFrame, EventSocketRequest } from "../../src/protocol/event-socket.ts";
import { closeSocket } from "./session/seats.ts";

const TAG = "listen";
/** One per key or user; whoever was first goes when there are more. */
const MOST = 50;
/** Facts that are told again to a listener that comes back. */
const KEPT = 100;

type Wanted = Pick<EventSocketRequest, "subject" | "events">;
type Place = { fact: number; index: number };

export class Listeners {
  readonly #ctx: DurableObjectState;
  readonly #scene: () => RenderContext;
  readonly #sockets = new Map<WebSocket, Wanted>();
  /** Tells ids of this life of the object from those of others: after a wake-up nobody knows what was told before. */
  readonly #life: string;
  readonly #recent: GatewayFact[] = [];
  /** Facts told in this life. */
  #told = 0;

  constructor(ctx: DurableObjectState, scene: () => RenderContext, life: string) {
    this.#ctx = ctx;
    this.#scene = scene;
    this.#life = life;
    for (const socket of ctx.getWebSockets(TAG)) this.#sockets.set(socket, wantedOf(ctx.getTags(socket)));
  }

  /** The answer to the worker's upgrade. */
  accept(wish: string | null): Response {
    const { after, ...wanted } = EventSocketRequest.parse(JSON.parse(wish ?? "null"));
    this.#makeRoomFor(wanted.subject);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, tagsOf(wanted));
    this.#sockets.set(ours, wanted);
    if (after !== null) this.#resume(ours, wanted, this.#placeOf(after));
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#sockets.has(socket);
  }

  closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  /** These facts are stored. */
  tell(facts: readonly GatewayFact[]): void {
    for (const fact of facts) {
      this.#told += 1;
      this.#recent.push(fact);
      if (this.#recent.length > KEPT) this.#recent.shift();
      if (this.#sockets.size > 0) this.#tellAll(this.#framesOf(fact, this.#told));
    }
  }

  #tellAll(frames: readonly Extract<EventFrame, { type: "event" }>[]): void {
    for (const [socket, wanted] of this.#sockets) for (const frame of frames) this.#say(socket, wanted, frame);
  }

  #framesOf({ event, at }: GatewayFact, number: number): Extract<EventFrame, { type: "event" }>[] {
    const scene = this.#scene();
    return render(ACCOUNT_STYLE, event, scene).map(({ type, data }, index) => {
      const id = `evt_${this.#life}_${number}_${index}`;
      return { type: "event", id, event: type, json: withDeliveryId(id, serializeBody(ACCOUNT_STYLE, type, at, data, scene.instance)) };
    });
  }

  /** The place after which a listener goes on; null when it is not known any more. */
  #placeOf(id: string): Place | null {
    const [, life, fact, index] = /^evt_([0-9a-z]+)_(\d+)_(\d+)$/.exec(id) ?? [];
    const place = { fact: Number(fact), index: Number(index) };
    return life === this.#life && place.fact <= this.#told && place.fact > this.#told - this.#recent.length ? place : null;
  }

  #resume(socket: WebSocket, wanted: Wanted, place: Place | null): void {
    if (place === null) return this.#say(socket, wanted, { type: "reset" });
    const first = this.#told - this.#recent.length + 1;
    for (const [at, fact] of this.#recent.entries()) {
      const number = first + at;
      if (number < place.fact) continue;
      const frames = this.#framesOf(fact, number);
      for (const frame of number === place.fact ? frames.slice(place.index + 1) : frames) this.#say(socket, wanted, frame);
    }
  }

  #makeRoomFor(subject: string): void {
    const others = [...this.#sockets].filter(([, wanted]) => wanted.subject !== subject);
    const leaving = new Set([...this.#sockets.keys()].filter((socket) => this.#sockets.get(socket)?.subject === subject));
    for (const [oldest] of others.slice(0, Math.max(0, others.length + 1 - MOST))) leaving.add(oldest);
    for (const socket of leaving) {
      this.#sockets.delete(socket);
      closeSocket(socket, 1013, "another stream");
    }
  }

  #say(socket: WebSocket, { events }: Wanted, frame: EventFrame): void {
    if (frame.type === "event" && events !== null && !events.includes(frame.event)) return;
    try {
      socket.send(JSON.stringify(frame));
    } catch {
      // It is closing; its close event tells.
      this.#sockets.delete(socket);
    }
  }
}

// What a listener wants is in the tags of its socket, so that it survives hibernation: an attachment is a bridge's seat (session/seats.ts).

function tagsOf({ subject, events }: Wanted): string[] {
  return [TAG, subject, ...(events === null ? [] : [events.join()])];
}

/** Written by `tagsOf` alone. */
function wantedOf([, subject = "", events]: readonly string[]): Wanted {
  return { subject, events: events?.split(",") ?? null };
}
