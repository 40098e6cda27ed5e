// WebSockets from the worker to a connection's object. They are returned without being accepted; null while the object is unreachable.
import type { Env } from "../../env.ts";
import {
  EVENT_SOCKET_PATH,
  type EventSocketRequest,
  STATUS_SOCKET_PATH,
  type StatusSocketRequest,
} from "@gateway/protocol/stream-sockets.ts";
import { isTransientError } from "../object-stubs.ts";
import { connectionStub } from "./stub.ts";

export function openWatchSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: StatusSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, STATUS_SOCKET_PATH, request);
}

export function openEventSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: EventSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, EVENT_SOCKET_PATH, request);
}

async function socketAt(env: Pick<Env, "CONNECTION">, uuid: string, path: string, request: object): Promise<WebSocket | null> {
  const query = new URLSearchParams({ request: JSON.stringify(request) }).toString();
  const upgrade = new Request(`https://connection${path}?${query}`, { headers: { upgrade: "websocket" } });
  try {
    return (await connectionStub(env, uuid).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}
