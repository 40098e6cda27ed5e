// Channel notifications over MEX. Older ones name an operation and its channels, newer ones a result by path.
import { type BinaryNode, getBinaryNodeChild } from "baileys";
import { z } from "zod";

export type ChannelNotification = { action: "followed" | "left" | "muted"; id: string; muted: boolean };

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
