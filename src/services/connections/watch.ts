// Watching a connection: the object's own words, as long as somebody listens.
import type { Env } from "../../env.ts";
import { WATCH_PATH } from "../../protocol/watch-socket.ts";
import { connectionDoor } from "./door.ts";
import { isPassingTrouble } from "./trouble.ts";

/** The socket, not accepted yet; null while the object cannot be reached. */
export async function watchConnection(env: Pick<Env, "CONNECTION">, uuid: string): Promise<WebSocket | null> {
  const upgrade = new Request(`https://connection${WATCH_PATH}`, { headers: { upgrade: "websocket" } });
  try {
    return (await connectionDoor(env, uuid).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isPassingTrouble(error)) return null;
    throw error;
  }
}
