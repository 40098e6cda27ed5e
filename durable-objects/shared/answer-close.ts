/** Completes a peer's close. The platform does not complete it for hibernatable sockets, which would stay half closed. */
export function answerClose(socket: WebSocket): void {
  socket.close(1000);
}
