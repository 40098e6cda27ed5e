// The open session sockets. Their state is in attachments, which survive hibernation.
import { PING, PONG, SESSION_CLOSE, type ToBridge } from "@gateway/protocol/session-socket.ts";
import type { UnusedTicket } from "./tickets.ts";

export type SocketAttachment = {
  generation: number;
  bridge: string;
  /** Hash of the ticket. It stays until the bridge's hello, so that a bridge can retry a failed upgrade with the same ticket. */
  ticket: string | null;
  welcomed: boolean;
  /** The stop sent to the bridge, with its time (Unix ms). The bridge may still commit, because the output gate may delay the stop. */
  stopping: { at: number; logout: boolean; finish: boolean } | null;
  /** The session's device was unlinked, so its state rows are ignored. */
  rowsDiscarded: boolean;
};

type OpenSocket = { socket: WebSocket; attachment: SocketAttachment };

export class SessionSockets {
  readonly #ctx: DurableObjectState;
  readonly #known = new WeakMap<WebSocket, SocketAttachment>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // The platform responds to keep-alives without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  accept({ hash, generation }: UnusedTicket, bridge: string): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    this.attach(ours, { generation, bridge, ticket: hash, welcomed: false, stopping: null, rowsDiscarded: false });
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Refuses the upgrade with a close code, because an HTTP status could come from an intermediate proxy. */
  refuse(): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    ours.accept();
    ours.close(SESSION_CLOSE.fenced, "fenced");
    return new Response(null, { status: 101, webSocket: theirs });
  }

  attachmentOf(socket: WebSocket): SocketAttachment | null {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const attachment = socket.deserializeAttachment() as SocketAttachment | null;
    if (attachment !== null) this.#known.set(socket, attachment);
    return attachment;
  }

  attach(socket: WebSocket, attachment: SocketAttachment): void {
    socket.serializeAttachment(attachment);
    this.#known.set(socket, attachment);
  }

  open(): OpenSocket[] {
    return this.#ctx.getWebSockets().flatMap((socket) => {
      const attachment = socket.readyState === WebSocket.OPEN ? this.attachmentOf(socket) : null;
      return attachment === null ? [] : [{ socket, attachment }];
    });
  }

  welcomed(generation: number): WebSocket | null {
    return this.open().find(({ attachment }) => attachment.welcomed && attachment.generation === generation)?.socket ?? null;
  }
}

export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // The socket is already closed.
  }
}

/** Does nothing if the socket is closed, because the bridge repeats frames that need a response. */
export function sendFrame(socket: WebSocket, frame: ToBridge): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}
