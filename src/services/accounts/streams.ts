// Authorization of event streams. The AccountGuard of the reader's account holds one socket for each stream. Any action that ends the
// authorization closes that socket before it returns, and the worker then ends the stream (docs/operate/security.md, "Keys and tokens").
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

/**
 * Ends the user's streams: all, or those of one credential or connection. Clients that are still authorized reconnect. The AccountGuard
 * then rereads the user's keys. Call it after the change of a key, user or connection is in D1, and before responding.
 */
export async function endStreams(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, which: StreamSelection = {}): Promise<void> {
  await retried(() => accountGuardStub(env, userId).endStreams(which));
}
