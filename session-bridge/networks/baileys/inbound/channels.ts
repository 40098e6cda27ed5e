import type { BaileysEventMap, BinaryNode } from "baileys";
import { channelRole } from "../queries/channel-facts.ts";
import { readChannel } from "../queries/channel-reads.ts";
import { asChatId } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";
import { readMexNotification } from "./mex-notification.ts";

export function channelSettings(ctx: SessionContext, { id, update }: BaileysEventMap["newsletter-settings.update"]): void {
  const channel = asChatId(id);
  if (channel === null) return;
  const { name, description } = (update ?? {}) as { name?: unknown; description?: unknown };
  const changed = {
    ...(textOf(name) !== null && { name: textOf(name) as string }),
    ...(textOf(description) !== null && { description: textOf(description) }),
  };
  if (Object.keys(changed).length > 0) ctx.emit([{ key: null, event: { type: "channel.updated", channel_id: channel, ...changed } }]);
}

export function channelParticipants(ctx: SessionContext, { id, user, new_role }: BaileysEventMap["newsletter-participants.update"]): void {
  const channel = asChatId(id);
  const role = channelRole(new_role);
  if (channel === null || role === null || !lidMappingOf(ctx.session).isOwn(user)) return;
  ctx.emit([{ key: null, event: { type: "channel.updated", channel_id: channel, role } }]);
}

/** Follows, unfollows and mutes on another device, which the library ignores. */
export function channelNotification(ctx: SessionContext, node: BinaryNode): void {
  if (ctx.settings.ignore_channels) return;
  for (const { action, id, muted } of readMexNotification(node)) {
    const channel = asChatId(id);
    if (channel === null || !channel.endsWith("@newsletter")) continue;
    if (action === "left") ctx.emit([{ key: null, event: { type: "channel.removed", channel_id: channel } }]);
    else if (action === "muted") ctx.emit([{ key: null, event: { type: "channel.updated", channel_id: channel, muted } }]);
    else ctx.task(() => followed(ctx, channel));
  }
}

async function followed(ctx: SessionContext, channel: string): Promise<void> {
  const read = await readChannel(ctx, { type: "jid", key: channel }).catch(() => null);
  ctx.emit([{ key: null, event: { type: "channel.updated", ...(read?.facts ?? { channel_id: channel, role: "subscriber" }) } }]);
}

// Newer notifications have `{ text }` where older ones have a string.
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  const text = value !== null && typeof value === "object" ? (value as { text?: unknown }).text : null;
  return typeof text === "string" ? text : null;
}
