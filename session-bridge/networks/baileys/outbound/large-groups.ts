// Creates a large group's Signal sessions before its first message. Otherwise the library's only lock would block other sends for 10 s.
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorFacts } from "#bridge/log.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Maximum number of members queried at once. The library itself handles groups of up to this size. */
const BATCH_SIZE = 256;

/** `group` is null for other recipients. Skips a group that already has our sender key. */
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
    ctx.logger.info(errorFacts(error), "send.sessions_missing");
  }
}

async function hasSent({ auth }: SessionContext, group: string): Promise<boolean> {
  const { [group]: holders } = await auth.keys.get("sender-key-memory", [group]);
  return holders !== undefined;
}
