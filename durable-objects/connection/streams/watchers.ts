// Sockets of dashboards that show this connection live. They use no timers, so that the object can hibernate while they are open.
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { CONNECTION_STYLE } from "@gateway/domain/webhooks/style/connection.ts";
import type { HistoryProgress } from "@gateway/protocol/records.ts";
import { type LivePart, type StatusFrame, StatusSocketRequest, WATCH_CLOSE } from "@gateway/protocol/stream-sockets.ts";
import { renderBodies } from "../delivery/rendered-bodies.ts";
import type { NumberedFact, RecentFacts } from "./recent-facts.ts";
import { closeSocket } from "../session/session-sockets.ts";
import { crowdedOut } from "./crowded-out.ts";

const TAG = "watch";
const MAX_WATCHERS = 20;
const CHANGED_DELAY_MS = 500;
const NO_HISTORY = JSON.stringify({ state: "idle", progress: null } satisfies HistoryProgress);

type View = StatusSocketRequest["view"];
type Watcher = Pick<StatusSocketRequest, "user" | "view">;

const SEES: Readonly<Record<StatusFrame["type"], readonly View[]>> = {
  status: ["all", "pairing", "status"],
  qr: ["all", "pairing"],
  history: ["all", "pairing"],
  event: ["all"],
  changed: ["all"],
  reset: ["all"],
};

export type WatchersHost = {
  renderContext: () => RenderContext;
  owner: () => string | null;
  history: () => HistoryProgress;
  recent: RecentFacts;
};

export class Watchers {
  readonly #ctx: DurableObjectState;
  readonly #host: WatchersHost;
  readonly #sockets: Map<WebSocket, Watcher>;
  /** The last frame of each kind, so that an unchanged frame is not sent again. Null when the object has just woken up. */
  #status: string | null = null;
  #qr: string | null = null;
  #history: string | null = null;
  readonly #changed = new Set<LivePart>();

  constructor(ctx: DurableObjectState, host: WatchersHost) {
    this.#ctx = ctx;
    this.#host = host;
    this.#sockets = new Map(ctx.getWebSockets(TAG).map((socket) => [socket, watcherOf(ctx.getTags(socket))]));
  }

  accept(request: string | null, state: InstanceState, now: number): Response {
    const { after, ...watcher } = StatusSocketRequest.parse(JSON.parse(request ?? "null"));
    this.update(state);
    this.#evictFor(watcher);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, tagsOf(watcher));
    this.#sockets.set(ours, watcher);
    this.#sendState(ours, watcher, state, now);
    if (after !== null) this.#resume(ours, watcher, after);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  has(socket: WebSocket): boolean {
    return this.#sockets.has(socket);
  }

  /** Closes all sockets after access has changed. Dashboards that are still allowed reconnect. */
  endAll(): void {
    for (const socket of this.#sockets.keys()) closeSocket(socket, WATCH_CLOSE.notAllowed, "no longer allowed");
    this.#sockets.clear();
  }

  closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
  }

  /** Sends the instance's state if it changed. Called after every possible change. */
  update(state: InstanceState): void {
    if (this.#sockets.size === 0) return;
    const status = JSON.stringify(statusOf(state));
    if (status !== this.#status) this.#broadcast(statusOf(state));
    this.#status = status;
    const qr = state.qr === null ? null : JSON.stringify(qrOf(state.qr));
    if (state.qr !== null && qr !== this.#qr) this.#broadcast(qrOf(state.qr));
    this.#qr = qr;
    const progress = this.#host.history();
    const history = JSON.stringify(progress);
    if (history !== (this.#history ?? NO_HISTORY)) this.#broadcast({ type: "history", ...progress });
    this.#history = history;
  }

  /** Notifies pages that a part has changed. The notices are throttled, because each page then reloads that part. */
  changed(part: LivePart): void {
    if (this.#sockets.size === 0 || this.#changed.has(part)) return;
    this.#changed.add(part);
    setTimeout(() => {
      this.#changed.delete(part);
      this.#broadcast({ type: "changed", part });
    }, CHANGED_DELAY_MS);
  }

  /** Sends events as a webhook would receive them. */
  emit(facts: readonly NumberedFact[]): void {
    if (this.#sockets.size === 0) return;
    for (const { fact, number } of facts) for (const frame of this.#framesOf(fact, number)) this.#broadcast(frame);
  }

  #sendState(socket: WebSocket, watcher: Watcher, state: InstanceState, now: number): void {
    const { history, recent } = this.#host;
    this.#send(socket, watcher, { id: recent.latestId, ...statusOf(state) });
    if (state.qr !== null && state.qr.expires_at * 1000 > now) this.#send(socket, watcher, qrOf(state.qr));
    const progress = history();
    if (progress.state !== "idle") this.#send(socket, watcher, { type: "history", ...progress });
    this.#status = JSON.stringify(statusOf(state));
    this.#qr = state.qr === null ? null : JSON.stringify(qrOf(state.qr));
    this.#history = JSON.stringify(progress);
  }

  #resume(socket: WebSocket, watcher: Watcher, after: string): void {
    const missed = this.#host.recent.after(after);
    if (missed === null) return this.#send(socket, watcher, { type: "reset" });
    for (const { fact, number, skip } of missed)
      for (const frame of this.#framesOf(fact, number).slice(skip)) this.#send(socket, watcher, frame);
  }

  #framesOf(fact: NumberedFact["fact"], number: number): StatusFrame[] {
    return renderBodies(CONNECTION_STYLE, fact, this.#host.renderContext(), "watchers").map(({ text }, index, { length }) => ({
      type: "event",
      id: this.#host.recent.idOf(number, index, length),
      json: `{${text}`,
    }));
  }

  #evictFor({ user, view }: Watcher): void {
    const others = [...this.#sockets].flatMap(([socket, watcher]) => (watcher.view === view ? [{ socket, user: watcher.user }] : []));
    for (const socket of crowdedOut(others, user, this.#host.owner(), MAX_WATCHERS)) {
      this.#sockets.delete(socket);
      closeSocket(socket, WATCH_CLOSE.crowdedOut, "too many watchers");
    }
  }

  #broadcast(frame: StatusFrame): void {
    for (const [socket, watcher] of this.#sockets) this.#send(socket, watcher, frame);
  }

  #send(socket: WebSocket, { view }: Watcher, frame: StatusFrame): void {
    if (!SEES[frame.type].includes(view)) return;
    try {
      socket.send(JSON.stringify(frame));
    } catch {
      this.#sockets.delete(socket);
    }
  }
}

type StateFrame<T extends StatusFrame["type"]> = Extract<StatusFrame, { type: T }>;

function statusOf({ status, reason, phone }: InstanceState): StateFrame<"status"> {
  return { type: "status", status, status_reason: reason, phone };
}

function qrOf({ raw, expires_at }: NonNullable<InstanceState["qr"]>): StateFrame<"qr"> {
  return { type: "qr", raw, expires_at };
}

// Watchers are stored in socket tags, which survive hibernation. The attachments are used for session sockets.

function tagsOf({ user, view }: Watcher): string[] {
  return [TAG, user, `view:${view}`];
}

function watcherOf([, user = "", view = ""]: readonly string[]): Watcher {
  return { user, view: StatusSocketRequest.shape.view.parse(view.replace("view:", "")) };
}
