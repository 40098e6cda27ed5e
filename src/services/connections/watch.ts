// Watching a connection: the object's own words, as long as somebody listens.
import type { Env } from "../../env.ts";
import { LISTEN_PATH, type ListenRequest } from "../../protocol/listen-socket.ts";
import { WATCH_PATH } from "../../protocol/watch-socket.ts";
import { connectionStub } from "./stub.ts";
import { isPassingTrouble } from "./trouble.ts";

/** The socket, not accepted yet; null while the object cannot be reached. */
export function watchConnection(env: Pick<Env, "CONNECTION">, uuid: string): Promise<WebSocket | null> {
  return socketAt(env, uuid, WATCH_PATH);
}

/** The same for the Account API's events. */
export function listenToConnection(env: Pick<Env, "CONNECTION">, uuid: string, wish: ListenRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, `${LISTEN_PATH}?${new URLSearchParams({ wish: JSON.stringify(wish) }).toString()}`);
}

async function socketAt(env: Pick<Env, "CONNECTION">, uuid: string, path: string): Promise<WebSocket | null> {
  const upgrade = new Request(`https://connection${path}`, { headers: { upgrade: "websocket" } });
  try {
    return (await connectionStub(env, uuid).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isPassingTrouble(error)) return null;
    throw error;
  }
}
