// Reads what no event reports after a pairing: groups, followed channels and the block list. Read once; notifications keep it up to date
// from then on, including those queued while offline.
import { errorFacts } from "../../../log.ts";
import { readFollowedChannels } from "../queries/channel-reads.ts";
import { userOf } from "../addressing/jids.ts";
import type { SessionContext } from "../session/session-context.ts";
import { blocklistUpdate } from "./contacts.ts";

/** Deleted with the credentials: another pairing reads again. */
const DONE_ROW = "bridge|caught-up";

export function initialSync(ctx: SessionContext): void {
  if (ctx.rows.get(DONE_ROW) !== undefined) return;
  void readOnce(ctx).catch((error: unknown) => ctx.logger.warn(errorFacts(error), "catch_up.failed"));
}

async function readOnce(ctx: SessionContext): Promise<void> {
  // The library emits the groups it reads as `groups.update`.
  if (!ctx.settings.ignore_groups) await ctx.sock.groupFetchAllParticipating();
  const blocked = (await ctx.sock.fetchBlocklist()).filter((jid) => jid !== undefined && userOf(jid) !== null);
  blocklistUpdate(ctx, { blocklist: blocked as string[], type: "add" });
  if (!ctx.settings.ignore_channels) await channels(ctx);
  ctx.rows.put(DONE_ROW, "1");
}

/** Not every network answers this; channels are then reported as they come up. */
async function channels(ctx: SessionContext): Promise<void> {
  const followed = await readFollowedChannels(ctx).catch(() => []);
  if (followed.length > 0) ctx.emit(followed.map(({ facts }) => ({ key: null, event: { type: "channel.updated", ...facts } })));
}
