// The bridges' control sockets. A bridge's last report is stored in its socket's attachment, so that it survives hibernation.
import { isAhead } from "@gateway/domain/clock-set-back.ts";
import { readJson } from "@gateway/protocol/json.ts";
import { CONTROL_CLOSE, FromBridgeControl, type ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";

export type Load = Extract<FromBridgeControl, { type: "load" }>;

/** `bridge` is the credential's id. `current` says whether it uses the current secret, `registered` whether the hello was accepted. */
type Attachment = { bridge: string; current: boolean; registered: boolean; report?: { load: Load; at: number } };

const TAG = "bridge:";
/** Maximum length of the problem list, because an attachment holds at most 16 kB. */
const MAX_TROUBLES_LENGTH = 12_000;

export class BridgeSockets {
  readonly #ctx: DurableObjectState;
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

  accept({ bridge, current }: { bridge: string; current: boolean }): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, [`${TAG}${bridge}`]);
    this.#attach(ours, { bridge, current, registered: false });
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Called when the bridge's hello was accepted. Closes any older socket of this bridge. */
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
    const attachment = socket.deserializeAttachment() as Attachment;
    this.#attachments.set(socket, attachment);
    return attachment;
  }

  storeReport(socket: WebSocket, load: Load, at: number): void {
    this.#attach(socket, { ...this.of(socket), report: { load: shortened(load), at } });
  }

  reports(): { bridge: string; load: Load; at: number }[] {
    return [...this.#sockets].flatMap(([bridge, socket]) => {
      const { report } = this.of(socket);
      return report === undefined ? [] : [{ bridge, ...report }];
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

  /** Returns true if this is the bridge's newest socket, and false for a bridge that never sent a hello. */
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

  /** Time of the bridge's last ping. Null if there was none, or if the clock was set back and the time is in the future. */
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

/** Drops the problems with the fewest sessions if the list is too long. */
function shortened(load: Load): Load {
  if (load.troubles === undefined || JSON.stringify(load.troubles).length <= MAX_TROUBLES_LENGTH) return load;
  let length = 0;
  const troubles = load.troubles
    .toSorted((a, b) => b.sessions - a.sessions)
    .filter((trouble) => (length += JSON.stringify(trouble).length + 1) <= MAX_TROUBLES_LENGTH);
  return { ...load, troubles };
}

export function readFrame(message: string | ArrayBuffer): FromBridgeControl | null {
  return typeof message === "string" ? readJson(FromBridgeControl, message) : null;
}
