// WebSockets from the worker to a connection's object, for as long as somebody listens.
import type { Env } from "../../env.ts";
import { EVENT_SOCKET_PATH, type EventSocketRequest } from "../../protocol/event-socket.ts";
import { STATUS_SOCKET_PATH } from "../../protocol/status-socket.ts";
import { isTransientError } from "../object-stubs.ts";
import { connectionStub } from "./stub.ts";

/** The dashboard's status socket of this user, not accepted yet; null while the object is unreachable. */
export function openWatchSocket(env: Pick<Env, "CONNECTION">, uuid: string, user: string): Promise<WebSocket | null> {
  return socketAt(env, uuid, `${STATUS_SOCKET_PATH}?${new URLSearchParams({ user }).toString()}`);
}

/** The socket of the Account API's event stream; null while the object is unreachable. */
export function openEventSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: EventSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, `${EVENT_SOCKET_PATH}?${new URLSearchParams({ request: JSON.stringify(request) }).toString()}`);
}

async function socketAt(env: Pick<Env, "CONNECTION">, uuid: string, path: string): Promise<WebSocket | null> {
  const upgrade = new Request(`https://connection${path}`, { headers: { upgrade: "websocket" } });
  try {
    return (await connectionStub(env, uuid).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}
