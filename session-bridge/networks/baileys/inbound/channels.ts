import { type BaileysEventMap, type BinaryNode, getBinaryNodeChild } from "baileys";
import { channelRole, readChannel } from "../queries/channel-reads.ts";
import { asChatId } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { SessionContext } from "../session/session-context.ts";
import * as z from "zod";

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

/** Reports follows, unfollows and mutes made on another device, because the library ignores them. */
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

// Channel notifications over MEX. Older ones contain an operation and its channels, and newer ones contain results, keyed by path.

type ChannelNotification = { action: "followed" | "left" | "muted"; id: string; muted: boolean };

const OLDER: Record<string, ChannelNotification["action"]> = {
  NotificationNewsletterJoin: "followed",
  NotificationNewsletterLeave: "left",
};
const NEWER: Record<string, ChannelNotification["action"]> = {
  xwa2_notify_newsletter_on_join: "followed",
  xwa2_notify_newsletter_on_leave: "left",
  xwa2_notify_newsletter_on_mute_change: "muted",
};

const Older = z.object({ operation: z.string(), updates: z.array(z.object({ jid: z.string() })) });
const Newer = z.object({ data: z.record(z.string(), z.object({ id: z.string(), mute: z.string().nullish() }).nullish()) });

export function readMexNotification(node: BinaryNode): ChannelNotification[] {
  const payload = payloadOf(node);
  const older = Older.safeParse(payload);
  const operation = older.success ? OLDER[older.data.operation] : undefined;
  if (older.success)
    return operation === undefined ? [] : older.data.updates.map(({ jid }) => ({ action: operation, id: jid, muted: false }));
  const newer = Newer.safeParse(payload);
  if (!newer.success) return [];
  return Object.entries(newer.data.data).flatMap(([path, result]) => {
    const action = NEWER[path];
    return action === undefined || !result ? [] : [{ action, id: result.id, muted: result.mute === "ON" }];
  });
}

function payloadOf(node: BinaryNode): unknown {
  const content = (getBinaryNodeChild(node, "mex") ?? getBinaryNodeChild(node, "update"))?.content;
  if (content === undefined || Array.isArray(content)) return undefined;
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
