// The bridge closes a socket after 20 s if it does not open, or if the network sends nothing on it. The library has no such timeout: its
// own would apply to every frame.
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { limitOpening } from "#root/session-bridge/networks/baileys/socket/live-socket.ts";

let server: Server | WebSocketServer | undefined;
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  server?.close();
});

function dial(to: Server | WebSocketServer): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${(to.address() as AddressInfo).port}`);
  socket.on("error", () => undefined);
  limitOpening(socket);
  return socket;
}

it("a socket whose upgrade is not answered ends after 20 s", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  server = silent;
  await once(silent, "listening");
  const socket = dial(silent);
  await once(silent, "connection");
  const error = once(socket, "error");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  vi.advanceTimersByTime(19_999);
  expect(socket.readyState).toBe(WebSocket.CONNECTING);
  vi.advanceTimersByTime(1);
  expect(await error).toEqual([expect.objectContaining({ message: expect.stringContaining("closed before the connection") as string })]);
  await closed;
});

it("an open socket ends after 20 s without a frame", async () => {
  const silent = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server = silent;
  await once(silent, "listening");
  const socket = dial(silent);
  await once(socket, "open");
  vi.advanceTimersByTime(19_999);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  const closed = once(socket, "close");
  vi.advanceTimersByTime(1);
  await closed;
});

it("a socket on which the network has spoken stays", async () => {
  const speaking = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server = speaking;
  speaking.on("connection", (client) => client.send("frame"));
  await once(speaking, "listening");
  const socket = dial(speaking);
  await once(socket, "message");
  vi.advanceTimersByTime(120_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.terminate();
});
