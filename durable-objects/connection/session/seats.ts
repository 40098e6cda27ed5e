// The session sockets that are here. What is known of each is attached to it, so it survives hibernation.
import { PING, PONG, SESSION_CLOSE } from "../../../src/protocol/session-socket.ts";

export type Seat = {
  generation: number;
  bridge: string | null;
  /** It said hello and was let in. */
  welcomed: boolean;
  /** When it was told to stop (Unix ms). It goes on committing until it closes: its last bytes need it (output gate). */
  stoppingAt: number | null;
  /** Its device was unlinked: its state rows are no use to anybody. */
  rowsUnwanted: boolean;
};

export type Taken = { socket: WebSocket; seat: Seat };

export class Seats {
  readonly #ctx: DurableObjectState;
  /** What is attached, once read: it is asked for at every frame. */
  readonly #known = new WeakMap<WebSocket, Seat>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // An idle session's keep-alives are answered without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** The answer to the dial of a bridge whose ticket was good. */
  accept(generation: number): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    this.change(ours, { generation, bridge: null, welcomed: false, stoppingAt: null, rowsUnwanted: false });
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
  of(socket: WebSocket): Seat | null {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    // Attached by this class alone.
    const seat = socket.deserializeAttachment() as Seat | null;
    if (seat !== null) this.#known.set(socket, seat);
    return seat;
  }

  change(socket: WebSocket, seat: Seat): void {
    socket.serializeAttachment(seat);
    this.#known.set(socket, seat);
  }

  /** Those that are open. */
  taken(): Taken[] {
    return this.#ctx.getWebSockets().flatMap((socket) => {
      const seat = socket.readyState === WebSocket.OPEN ? this.of(socket) : null;
      return seat === null ? [] : [{ socket, seat }];
    });
  }

  /** The welcomed socket of this generation, if it is here. */
  holder(generation: number): WebSocket | null {
    return this.taken().find(({ seat }) => seat.welcomed && seat.generation === generation)?.socket ?? null;
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
