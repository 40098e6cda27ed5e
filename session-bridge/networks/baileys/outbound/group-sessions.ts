// Sessions with everybody in a large group, before the first message to it is relayed. The library makes them all within its one lock, which
// every other send of the session waits for: a group of 1,024 takes it ten seconds.
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorFacts } from "#root/log.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Members whose devices and keys are asked for at once. Groups up to this size are left to the library. */
const BATCH_SIZE = 256;

/** `group` when it is one: its members are done when the library knows that they have its key. */
export async function prepareSessions(
  ctx: SessionContext,
  { members, group, isWanted }: { members: readonly string[]; group: string | null; isWanted: () => boolean },
): Promise<void> {
  if (members.length <= BATCH_SIZE || (group !== null && (await hasSent(ctx, group)))) return;
  try {
    for (let at = 0; at < members.length && isWanted(); at += BATCH_SIZE) {
      const devices = await ctx.sock.getUSyncDevices(members.slice(at, at + BATCH_SIZE), true, false);
      await ctx.sock.assertSessions(
        devices.map(({ jid }) => jid),
        false,
      );
      await nextTurn();
    }
  } catch (error) {
    // The library asks once more, for what is missing.
    ctx.logger.info(errorFacts(error), "send.sessions_missing");
  }
}

async function hasSent({ auth }: SessionContext, group: string): Promise<boolean> {
  const { [group]: holders } = await auth.keys.get("sender-key-memory", [group]);
  return holders !== undefined;
}
