// Sockets of dashboards that show this connection live. No timers, and the object hibernates under them.
import type { GatewayFact } from "../../src/domain/gateway-event.ts";
import type { InstanceState } from "../../src/domain/instance/state.ts";
import { serializeBody } from "../../src/domain/webhooks/style/body.ts";
import { CONNECTION_STYLE } from "../../src/domain/webhooks/style/connection.ts";
import { render, type RenderContext } from "../../src/domain/webhooks/style/style.ts";
import type { StatusFrame } from "../../src/protocol/status-socket.ts";
import { errorFields, log } from "../../src/log.ts";
import { closeSocket } from "./session/session-sockets.ts";
import { crowdedOut } from "./stream-places.ts";

const TAG = "watch";
/** One per browser tab. */
const MAX_WATCHERS = 20;

export class Watchers {
  readonly #ctx: DurableObjectState;
  readonly #renderContext: () => RenderContext;
  readonly #owner: () => string | null;
  /** With the id of the user who watches, oldest first. */
  readonly #sockets: Map<WebSocket, string>;
  /** The last frame sent; unknown after a wake-up, and then sent once more. */
  #status: string | null = null;
  #qr: string | null = null;

  /** `owner`: the id of the connection's owner. */
  constructor(ctx: DurableObjectState, renderContext: () => RenderContext, owner: () => string | null) {
    this.#ctx = ctx;
    this.#renderContext = renderContext;
    this.#owner = owner;
    this.#sockets = new Map(ctx.getWebSockets(TAG).map((socket) => [socket, ctx.getTags(socket)[1] ?? ""]));
  }

  /** Answers the worker's upgrade request. `now` is Unix ms. */
  accept(user: string, state: InstanceState, now: number): Response {
    this.update(state);
    const sockets = [...this.#sockets].map(([socket, watcher]) => ({ socket, user: watcher }));
    for (const socket of crowdedOut(sockets, user, this.#owner(), MAX_WATCHERS)) {
      this.#sockets.delete(socket);
      closeSocket(socket, 1013, "too many watchers");
    }
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, [TAG, user]);
    this.#sockets.set(ours, user);
    this.#status = statusOf(state);
    this.#qr = state.qr === null ? null : qrOf(state.qr);
    ours.send(this.#status);
    if (state.qr !== null && state.qr.expires_at * 1000 > now) ours.send(qrOf(state.qr));
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#sockets.has(socket);
  }

  /** Nobody may watch any more as before: who still may comes back. */
  endAll(): void {
    for (const socket of this.#sockets.keys()) closeSocket(socket, 1008, "no longer allowed");
    this.#sockets.clear();
  }

  closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  /** Sends what has changed of the instance; called after everything that may have changed it. */
  update(state: InstanceState): void {
    if (this.#sockets.size === 0) return;
    const status = statusOf(state);
    if (status !== this.#status) this.#send(status);
    this.#status = status;
    const qr = state.qr === null ? null : qrOf(state.qr);
    if (qr !== null && qr !== this.#qr) this.#send(qr);
    this.#qr = qr;
  }

  /** Sends the facts as a webhook would receive them, whether or not one is configured. They are stored already, so nothing may throw. */
  emit(facts: readonly GatewayFact[]): void {
    if (this.#sockets.size === 0) return;
    try {
      const renderContext = this.#renderContext();
      for (const { event, at } of facts) {
        for (const { type, data } of render(CONNECTION_STYLE, event, renderContext)) {
          this.#send(frame({ type: "event", json: `{${serializeBody(CONNECTION_STYLE, type, at, data, renderContext.instance)}` }));
        }
      }
    } catch (error) {
      log("watch.failed", errorFields(error));
    }
  }

  #send(frame: string): void {
    for (const socket of this.#sockets.keys()) {
      try {
        socket.send(frame);
      } catch {
        // It is closing; the close event reports it.
        this.#sockets.delete(socket);
      }
    }
  }
}

function statusOf({ status, reason, phone }: InstanceState): string {
  return frame({ type: "status", status, status_reason: reason, phone });
}

function qrOf({ raw, expires_at }: NonNullable<InstanceState["qr"]>): string {
  return frame({ type: "qr", raw, expires_at });
}

const frame = (frame: StatusFrame): string => JSON.stringify(frame);
