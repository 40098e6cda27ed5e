// The bridges' control sockets. What a bridge said last is kept with its socket, so that it is known after this object has slept.
import { isAhead } from "@gateway/domain/set-back.ts";
import { readJson } from "@gateway/protocol/json.ts";
import { CONTROL_CLOSE, FromBridgeControl, type ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";

export type Load = Extract<FromBridgeControl, { type: "load" }>;

/** `bridge`: by its credential. `current`: that is one of the current secret. `registered`: its hello was accepted. */
type Attachment = { bridge: string; current: boolean; registered: boolean; said?: { load: Load; at: number } };

/** Other sockets of the pool have other tags. */
const TAG = "bridge:";
/** An attachment holds 16 kB. */
const MAX_TROUBLES_LENGTH = 12_000;

export class BridgeSockets {
  readonly #ctx: DurableObjectState;
  /** By bridge: the open socket on which it said hello last. */
  readonly #sockets = new Map<string, WebSocket>();
  readonly #attachments = new WeakMap<WebSocket, Attachment>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    for (const socket of ctx.getWebSockets()) {
      if (!ctx.getTags(socket).some((tag) => tag.startsWith(TAG)) || socket.readyState !== WebSocket.OPEN) continue;
      const { bridge, registered } = this.of(socket);
      if (registered) this.#sockets.set(bridge, socket);
    }
  }

  /** The upgrade of a bridge with this credential. */
  accept({ bridge, current }: { bridge: string; current: boolean }): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, [`${TAG}${bridge}`]);
    this.#attach(ours, { bridge, current, registered: false });
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Its hello was accepted: an older socket of this bridge is heeded no more. */
  register(socket: WebSocket): void {
    const attachment = this.of(socket);
    const older = this.#of(attachment.bridge);
    if (older !== undefined && older !== socket) older.close(CONTROL_CLOSE.replaced, "replaced");
    this.#attach(socket, { ...attachment, registered: true });
    this.#sockets.set(attachment.bridge, socket);
  }

  of(socket: WebSocket): Attachment {
    const known = this.#attachments.get(socket);
    if (known !== undefined) return known;
    // Attached by this file alone, to every bridge's socket.
    const attachment = socket.deserializeAttachment() as Attachment;
    this.#attachments.set(socket, attachment);
    return attachment;
  }

  keep(socket: WebSocket, load: Load, at: number): void {
    this.#attach(socket, { ...this.of(socket), said: { load: shortened(load), at } });
  }

  /** What all bridges said last. */
  said(): { bridge: string; load: Load; at: number }[] {
    return [...this.#sockets].flatMap(([bridge, socket]) => {
      const { said } = this.of(socket);
      return said === undefined ? [] : [{ bridge, ...said }];
    });
  }

  send(bridge: string, frame: ToBridgeControl): boolean {
    const socket = this.#of(bridge);
    socket?.send(JSON.stringify(frame));
    return socket !== undefined;
  }

  close(bridge: string, reason: string): void {
    this.#of(bridge)?.close(1001, reason);
    this.#sockets.delete(bridge);
  }

  /** False when another socket has taken its place, or it never said hello. */
  isLast(socket: WebSocket): boolean {
    const { bridge, registered } = this.of(socket);
    const last = this.#sockets.get(bridge);
    return registered && (last === undefined || last === socket);
  }

  isConnected(bridge: string): boolean {
    return this.#of(bridge) !== undefined;
  }

  hasOldCredential(bridge: string): boolean {
    const socket = this.#of(bridge);
    return socket !== undefined && !this.of(socket).current;
  }

  /** A ping from before the clock was set back says nothing: null. */
  pingedAt(bridge: string): number | null {
    const socket = this.#of(bridge);
    const at = socket === undefined ? undefined : this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    return at === undefined || isAhead(at, 0, Date.now()) ? null : at;
  }

  #of(bridge: string): WebSocket | undefined {
    const socket = this.#sockets.get(bridge);
    return socket?.readyState === WebSocket.OPEN ? socket : undefined;
  }

  #attach(socket: WebSocket, attachment: Attachment): void {
    this.#attachments.set(socket, attachment);
    socket.serializeAttachment(attachment);
  }
}

/** Without those troubles that fewest sessions have, where all of them are too long. */
function shortened(load: Load): Load {
  if (load.troubles === undefined || JSON.stringify(load.troubles).length <= MAX_TROUBLES_LENGTH) return load;
  let length = 0;
  const troubles = load.troubles
    .toSorted((a, b) => b.sessions - a.sessions)
    .filter((trouble) => (length += JSON.stringify(trouble).length + 1) <= MAX_TROUBLES_LENGTH);
  return { ...load, troubles };
}

/** Null: it is none. */
export function readFrame(message: string | ArrayBuffer): FromBridgeControl | null {
  return typeof message === "string" ? readJson(FromBridgeControl, message) : null;
}
