// Authorization of event streams: the reader's AccountGuard holds a socket per stream, closed before an action that ends access returns.
import type { Env } from "../../env.ts";
import { isTransientError, retried } from "../object-stubs.ts";
import { accountGuardStub, type StreamSelection } from "./guard.ts";

/** `credential`: `key:<id>`, `session:<id>` or `token`. `connections`: UUIDs. */
export type StreamRight = { userId: string; credential: string; connections: readonly string[] };

/** A socket, not accepted yet, that closes when the authorization ends; null while the AccountGuard is unreachable. */
export async function openRightSocket(env: Pick<Env, "ACCOUNT_GUARD">, right: StreamRight): Promise<WebSocket | null> {
  const { userId, credential, connections } = right;
  const query = new URLSearchParams({ credential, connections: connections.join() }).toString();
  try {
    const upgrade = new Request(`https://account/?${query}`, { headers: { upgrade: "websocket" } });
    return (await accountGuardStub(env, userId).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}

/** Ends all streams, or one credential's or connection's. Call it after the change is in D1, and before responding. */
export async function endStreams(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, which: StreamSelection = {}): Promise<void> {
  await retried(() => accountGuardStub(env, userId).endStreams(which));
}
