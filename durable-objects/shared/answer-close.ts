/** Completes a peer's closing handshake. The platform leaves hibernatable sockets half closed. */
export function answerClose(socket: WebSocket): void {
  socket.close(1000);
}
