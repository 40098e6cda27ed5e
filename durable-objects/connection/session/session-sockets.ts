// The open session sockets. The state of each is its attachment, which survives hibernation.
import { PING, PONG, SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import type { UnusedTicket } from "./tickets.ts";

export type SocketAttachment = {
  generation: number;
  /** By its credential. */
  bridge: string;
  /** Hash of its ticket until its hello redeems it, so that a bridge whose upgrade failed can dial again with the same ticket. */
  ticket: string | null;
  /** Its hello was accepted. */
  welcomed: boolean;
  /** The stop it was sent, and when (Unix ms). It may commit until it closes, as its last outgoing bytes wait for a commit (output gate). */
  stopping: { at: number; logout: boolean; finish: boolean } | null;
  /** Its device was unlinked: its state rows are ignored. */
  rowsDiscarded: boolean;
};

export type SessionSocket = { socket: WebSocket; attachment: SocketAttachment };

export class SessionSockets {
  readonly #ctx: DurableObjectState;
  /** Cache of deserialized attachments, as each frame needs one. */
  readonly #known = new WeakMap<WebSocket, SocketAttachment>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // The platform answers an idle session's keep-alives without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Accepts the bridge with this ticket of its own. */
  accept({ hash, generation }: UnusedTicket, bridge: string): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    this.attach(ours, { generation, bridge, ticket: hash, welcomed: false, stopping: null, rowsDiscarded: false });
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Refuses a bridge with an invalid ticket, by a close code: an HTTP status could come from a proxy in between. */
  refuse(): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    ours.accept();
    ours.close(SESSION_CLOSE.fenced, "fenced");
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Null for a socket that is no session socket. */
  attachmentOf(socket: WebSocket): SocketAttachment | null {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    // Only this class attaches.
    const attachment = socket.deserializeAttachment() as SocketAttachment | null;
    if (attachment !== null) this.#known.set(socket, attachment);
    return attachment;
  }

  attach(socket: WebSocket, attachment: SocketAttachment): void {
    socket.serializeAttachment(attachment);
    this.#known.set(socket, attachment);
  }

  /** Session sockets that are open. */
  open(): SessionSocket[] {
    return this.#ctx.getWebSockets().flatMap((socket) => {
      const attachment = socket.readyState === WebSocket.OPEN ? this.attachmentOf(socket) : null;
      return attachment === null ? [] : [{ socket, attachment }];
    });
  }

  /** The welcomed socket of this generation, if one is open. */
  welcomed(generation: number): WebSocket | null {
    return this.open().find(({ attachment }) => attachment.welcomed && attachment.generation === generation)?.socket ?? null;
  }
}

/** Closes a socket that may already be closed. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // Already closed.
  }
}
