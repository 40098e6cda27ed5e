// The right to a stream of events. The guard of the reader's account holds one socket for each of its streams: whatever ends the right
// closes that socket before it answers, and the worker ends the stream with it (docs/operate/security.md, "Keys and tokens").
import type { Env } from "../../env.ts";
import { isTransientError, retried } from "../object-stubs.ts";
import { accountGuardStub, type StreamSelection } from "./guard.ts";

/** Whose stream: `credential` is `key:<id>`, `session:<id>` or `token`; `connections` their UUIDs. */
export type StreamRight = { userId: string; credential: string; connections: readonly string[] };

/** A socket that closes as soon as the right ends, not accepted yet; null while the guard is unreachable. */
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
 * Ends the user's streams: all, or those of one credential or one connection; those that still may be come back. The guard then reads the
 * user's keys from D1 again. To be called once D1 has the change of a key, of its user or of a connection of theirs, and before the change
 * is answered.
 */
export async function endStreams(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, which: StreamSelection = {}): Promise<void> {
  await retried(() => accountGuardStub(env, userId).endStreams(which));
}
