// After pairing, reads the groups, the followed channels and the block list once, because events do not report them.
import type { SessionContext } from "../session/session-context.ts";
import { blocklistUpdate } from "./contacts.ts";
import { errorFacts } from "#bridge/log.ts";
import { readFollowedChannels } from "../queries/channel-reads.ts";
import { userOf } from "../addressing/jids.ts";

/** Deleted with the credentials, so that everything is read again after a new pairing. */
const DONE_ROW = "bridge|caught-up";
const ALL = "1";
/** Stored if the network refused to list the channels, so that the next socket retries that part. */
const ALL_BUT_CHANNELS = "no channels";

export function initialSync(ctx: SessionContext): void {
  const done = ctx.rows.get(DONE_ROW)?.toString();
  if (done !== undefined && done !== ALL_BUT_CHANNELS) return;
  void (done === undefined ? readOnce(ctx) : channels(ctx)).catch((error: unknown) =>
    ctx.logger.warn(errorFacts(error), "catch_up.failed"),
  );
}

async function readOnce(ctx: SessionContext): Promise<void> {
  if (!ctx.settings.ignore_groups) await ctx.sock.groupFetchAllParticipating();
  const blocked = (await ctx.sock.fetchBlocklist()).filter((jid) => jid !== undefined && userOf(jid) !== null);
  blocklistUpdate(ctx, { blocklist: blocked as string[], type: "add" });
  ctx.rows.put(DONE_ROW, ALL_BUT_CHANNELS);
  await channels(ctx);
}

async function channels(ctx: SessionContext): Promise<void> {
  const followed = ctx.settings.ignore_channels ? [] : await readFollowedChannels(ctx);
  ctx.rows.put(DONE_ROW, ALL);
  if (followed.length > 0) ctx.emit(followed.map(({ facts }) => ({ key: null, event: { type: "channel.updated", ...facts } })));
}
