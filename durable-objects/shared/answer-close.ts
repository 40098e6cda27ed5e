/** Completes a peer's close. The platform does not do it for hibernatable sockets: the peer's end would stay half closed. */
export function answerClose(socket: WebSocket): void {
  socket.close(1000);
}
