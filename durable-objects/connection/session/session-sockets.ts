// The session sockets that are here. What is known of each is attached to it, so it survives hibernation.
import { PING, PONG, SESSION_CLOSE } from "../../../src/protocol/session-socket.ts";

export type SocketAttachment = {
  generation: number;
  bridge: string | null;
  /** It said hello and was let in. */
  welcomed: boolean;
  /** When it was told to stop (Unix ms). It goes on committing until it closes: its last bytes need it (output gate). */
  stoppingAt: number | null;
  /** Its device was unlinked: its state rows are no use to anybody. */
  rowsUnwanted: boolean;
};

export type SessionSocket = { socket: WebSocket; attachment: SocketAttachment };

export class SessionSockets {
  readonly #ctx: DurableObjectState;
  /** What is attached, once read: it is asked for at every frame. */
  readonly #known = new WeakMap<WebSocket, SocketAttachment>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // An idle session's keep-alives are answered without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** The answer to the dial of a bridge whose ticket was good. */
  accept(generation: number): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    this.attach(ours, { generation, bridge: null, welcomed: false, stoppingAt: null, rowsUnwanted: false });
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** The answer to a dial with a bad ticket: a close code, because a status code could be anybody's on the way. */
  refuse(): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    ours.accept();
    ours.close(SESSION_CLOSE.fenced, "fenced");
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Null for a socket that is none of ours (its attachment was never made). */
  attachmentOf(socket: WebSocket): SocketAttachment | null {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    // Attached by this class alone.
    const attachment = socket.deserializeAttachment() as SocketAttachment | null;
    if (attachment !== null) this.#known.set(socket, attachment);
    return attachment;
  }

  attach(socket: WebSocket, attachment: SocketAttachment): void {
    socket.serializeAttachment(attachment);
    this.#known.set(socket, attachment);
  }

  /** Those that are open. */
  open(): SessionSocket[] {
    return this.#ctx.getWebSockets().flatMap((socket) => {
      const attachment = socket.readyState === WebSocket.OPEN ? this.attachmentOf(socket) : null;
      return attachment === null ? [] : [{ socket, attachment }];
    });
  }

  /** The welcomed socket of this generation, if it is here. */
  welcomed(generation: number): WebSocket | null {
    return this.open().find(({ attachment }) => attachment.welcomed && attachment.generation === generation)?.socket ?? null;
  }
}

/** A socket may have gone by itself in the meantime. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // Closed already: that was all we wanted.
  }
}
