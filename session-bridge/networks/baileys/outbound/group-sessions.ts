// Creates the Signal sessions of a large group before its first message. The library would create all of them under its one lock, which
// blocks every other send: ten seconds for a group of 1,024.
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorFacts } from "#root/log.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Members queried at once. Groups up to this size are left to the library. */
const BATCH_SIZE = 256;

/** `group` is null for other recipients. A group that already has our sender key is skipped. */
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
    // The library queries the missing ones again.
    ctx.logger.info(errorFacts(error), "send.sessions_missing");
  }
}

async function hasSent({ auth }: SessionContext, group: string): Promise<boolean> {
  const { [group]: holders } = await auth.keys.get("sender-key-memory", [group]);
  return holders !== undefined;
}
