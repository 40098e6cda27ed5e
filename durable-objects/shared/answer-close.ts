/** Completes a peer's close. The platform does not do this for hibernatable sockets, which would stay half closed. */
export function answerClose(socket: WebSocket): void {
  socket.close(1000);
}
