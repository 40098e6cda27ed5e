/**
 * Completes the closing handshake that a peer began. The platform does not do this for hibernatable sockets, so they would stay half
 * closed.
 */
export function answerClose(socket: WebSocket): void {
  socket.close(1000);
}
