// Streams of the Account API's events (docs/account-api.md, "Event streams"). No timers, and the object hibernates under their sockets.
// The latest facts stay in memory only, for a listener that reconnects.
import type { GatewayFact } from "../../src/domain/gateway-event.ts";
import { ACCOUNT_STYLE } from "../../src/domain/webhooks/style/account.ts";
import { withDeliveryId, serializeBody } from "../../src/domain/webhooks/style/body.ts";
import { render, type RenderContext } from "../../src/domain/webhooks/style/style.ts";
import { type EventFrame, EventSocketRequest } from "../../src/protocol/event-socket.ts";
import { closeSocket } from "./session/session-sockets.ts";
import { crowdedOut } from "./stream-places.ts";

const TAG = "listen";
/** Each key or token has one at most. */
const MAX_LISTENERS = 50;
/** Facts replayed to a listener that resumes. */
const RESUME_BUFFER_SIZE = 100;

type Subscription = Pick<EventSocketRequest, "subject" | "user" | "events">;
type StreamPosition = { fact: number; index: number };

export class Listeners {
  readonly #ctx: DurableObjectState;
  readonly #renderContext: () => RenderContext;
  readonly #owner: () => string | null;
  readonly #sockets = new Map<WebSocket, Subscription>();
  /** Part of every event id: ids from before the object was restarted cannot be resumed, as the buffer was lost with it. */
  readonly #epoch: string;
  readonly #recent: GatewayFact[] = [];
  /** Facts emitted since the object was created in memory. */
  #emitted = 0;

  /** `owner`: the id of the connection's owner. */
  constructor(ctx: DurableObjectState, renderContext: () => RenderContext, owner: () => string | null, epoch: string) {
    this.#ctx = ctx;
    this.#renderContext = renderContext;
    this.#owner = owner;
    this.#epoch = epoch;
    for (const socket of ctx.getWebSockets(TAG)) this.#sockets.set(socket, subscriptionOf(ctx.getTags(socket)));
  }

  /** Answers the worker's upgrade request. */
  accept(request: string | null): Response {
    const { after, ...subscription } = EventSocketRequest.parse(JSON.parse(request ?? "null"));
    this.#makeRoomFor(subscription);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, tagsOf(subscription));
    this.#sockets.set(ours, subscription);
    if (after !== null) this.#resume(ours, subscription, this.#positionOf(after));
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#sockets.has(socket);
  }

  /** Nobody may listen any more as before: who still may comes back. */
  endAll(): void {
    for (const socket of this.#sockets.keys()) closeSocket(socket, 1008, "no longer allowed");
    this.#sockets.clear();
  }

  closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  /** Called once the facts are stored. */
  emit(facts: readonly GatewayFact[]): void {
    for (const fact of facts) {
      this.#emitted += 1;
      this.#recent.push(fact);
      if (this.#recent.length > RESUME_BUFFER_SIZE) this.#recent.shift();
      if (this.#sockets.size > 0) this.#broadcast(this.#framesOf(fact, this.#emitted));
    }
  }

  #broadcast(frames: readonly Extract<EventFrame, { type: "event" }>[]): void {
    for (const [socket, subscription] of this.#sockets) for (const frame of frames) this.#send(socket, subscription, frame);
  }

  #framesOf({ event, at }: GatewayFact, number: number): Extract<EventFrame, { type: "event" }>[] {
    const renderContext = this.#renderContext();
    return render(ACCOUNT_STYLE, event, renderContext).map(({ type, data }, index) => {
      const id = `evt_${this.#epoch}_${number}_${index}`;
      return {
        type: "event",
        id,
        event: type,
        json: withDeliveryId(id, serializeBody(ACCOUNT_STYLE, type, at, data, renderContext.instance)),
      };
    });
  }

  /** The position after which a listener resumes; null when it is no longer in the buffer. */
  #positionOf(id: string): StreamPosition | null {
    const [, epoch, fact, index] = /^evt_([0-9a-z]+)_(\d+)_(\d+)$/.exec(id) ?? [];
    const position = { fact: Number(fact), index: Number(index) };
    return epoch === this.#epoch && position.fact <= this.#emitted && position.fact > this.#emitted - this.#recent.length ? position : null;
  }

  #resume(socket: WebSocket, subscription: Subscription, position: StreamPosition | null): void {
    if (position === null) return this.#send(socket, subscription, { type: "reset" });
    const first = this.#emitted - this.#recent.length + 1;
    for (const [at, fact] of this.#recent.entries()) {
      const number = first + at;
      if (number < position.fact) continue;
      const frames = this.#framesOf(fact, number);
      for (const frame of number === position.fact ? frames.slice(position.index + 1) : frames) this.#send(socket, subscription, frame);
    }
  }

  #makeRoomFor({ subject, user }: Subscription): void {
    const all = [...this.#sockets].map(([socket, subscription]) => ({ socket, ...subscription }));
    const earlier = all.filter((one) => one.subject === subject).map(({ socket }) => socket);
    const others = all.filter((one) => one.subject !== subject);
    for (const socket of [...earlier, ...crowdedOut(others, user, this.#owner(), MAX_LISTENERS)]) {
      this.#sockets.delete(socket);
      closeSocket(socket, 1013, "another stream");
    }
  }

  #send(socket: WebSocket, { events }: Subscription, frame: EventFrame): void {
    if (frame.type === "event" && events !== null && !events.includes(frame.event)) return;
    try {
      socket.send(JSON.stringify(frame));
    } catch {
      // It is closing; the close event reports it.
      this.#sockets.delete(socket);
    }
  }
}

// A subscription is stored in the tags of its socket, so that it survives hibernation; attachments belong to session sockets.

function tagsOf({ subject, user, events }: Subscription): string[] {
  return [TAG, subject, `user:${user}`, ...(events === null ? [] : [events.join()])];
}

/** Only `tagsOf` writes tags. */
function subscriptionOf([, subject = "", user = "", events]: readonly string[]): Subscription {
  return { subject, user: user.replace("user:", ""), events: events?.split(",") ?? null };
}
