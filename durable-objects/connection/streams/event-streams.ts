// Account API event streams. They use no timers, so that the object hibernates while their sockets are open.
import { ACCOUNT_STYLE } from "@gateway/domain/webhooks/style/account.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { withDeliveryId } from "@gateway/domain/webhooks/style/body.ts";
import { type EventFrame, EventSocketRequest } from "@gateway/protocol/stream-sockets.ts";
import { renderBodies } from "../delivery/rendered-bodies.ts";
import type { NumberedFact, RecentFacts } from "./recent-facts.ts";
import { closeSocket } from "../session/session-sockets.ts";
import { crowdedOut } from "./crowded-out.ts";

const TAG = "listen";
const MAX_STREAMS = 50;

type Subscription = Pick<EventSocketRequest, "subject" | "user" | "events">;
type StreamedEvent = Extract<EventFrame, { type: "event" }>;

export class EventStreams {
  readonly #ctx: DurableObjectState;
  readonly #renderContext: () => RenderContext;
  readonly #owner: () => string | null;
  readonly #sockets = new Map<WebSocket, Subscription>();
  readonly #recent: RecentFacts;

  constructor(ctx: DurableObjectState, renderContext: () => RenderContext, owner: () => string | null, recent: RecentFacts) {
    this.#ctx = ctx;
    this.#renderContext = renderContext;
    this.#owner = owner;
    this.#recent = recent;
    for (const socket of ctx.getWebSockets(TAG)) this.#sockets.set(socket, subscriptionOf(ctx.getTags(socket)));
  }

  accept(request: string | null): Response {
    const { after, ...subscription } = EventSocketRequest.parse(JSON.parse(request ?? "null"));
    this.#evictFor(subscription);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, tagsOf(subscription));
    this.#sockets.set(ours, subscription);
    if (after !== null) this.#resume(ours, subscription, after);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#sockets.has(socket);
  }

  /** Closes all streams after access changed. Clients that are still allowed reconnect. */
  endAll(): void {
    for (const socket of this.#sockets.keys()) closeSocket(socket, 1008, "no longer allowed");
    this.#sockets.clear();
  }

  closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  emit(facts: readonly NumberedFact[]): void {
    if (this.#sockets.size === 0) return;
    for (const { fact, number } of facts) {
      const frames = this.#framesOf(fact, number);
      for (const [socket, subscription] of this.#sockets) for (const frame of frames) this.#send(socket, subscription, frame);
    }
  }

  #framesOf(fact: NumberedFact["fact"], number: number): StreamedEvent[] {
    return renderBodies(ACCOUNT_STYLE, fact, this.#renderContext(), "eventStreams").map(({ type, text }, index, { length }) => {
      const id = this.#recent.idOf(number, index, length);
      return { type: "event", id, event: type, json: withDeliveryId(id, text) };
    });
  }

  #resume(socket: WebSocket, subscription: Subscription, after: string): void {
    const missed = this.#recent.after(after);
    if (missed === null) return this.#send(socket, subscription, { type: "reset" });
    for (const { fact, number, skip } of missed)
      for (const frame of this.#framesOf(fact, number).slice(skip)) this.#send(socket, subscription, frame);
  }

  #evictFor({ subject, user }: Subscription): void {
    const all = [...this.#sockets].map(([socket, subscription]) => ({ socket, ...subscription }));
    const earlier = all.filter((one) => one.subject === subject).map(({ socket }) => socket);
    const others = all.filter((one) => one.subject !== subject);
    for (const socket of [...earlier, ...crowdedOut(others, user, this.#owner(), MAX_STREAMS)]) {
      this.#sockets.delete(socket);
      closeSocket(socket, 1013, "another stream");
    }
  }

  #send(socket: WebSocket, { events }: Subscription, frame: EventFrame): void {
    if (frame.type === "event" && events !== null && !events.includes(frame.event)) return;
    try {
      socket.send(JSON.stringify(frame));
    } catch {
      this.#sockets.delete(socket);
    }
  }
}

// Subscriptions are stored in socket tags, which survive hibernation. The attachments are used for session sockets. The prefix `of:` keeps
// the user apart from a signed-in user's `subject`, which is `user:` with the same id, because the runtime drops duplicate tags.
function tagsOf({ subject, user, events }: Subscription): string[] {
  return [TAG, subject, `of:${user}`, ...(events === null ? [] : [events.join()])];
}

function subscriptionOf([, subject = "", user = "", events]: readonly string[]): Subscription {
  return { subject, user: user.replace("of:", ""), events: events?.split(",") ?? null };
}
