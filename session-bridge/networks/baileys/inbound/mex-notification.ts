// `mex` notifications about channels, in their two forms: the older names an operation and channels, the newer a result by its path.
import { type BinaryNode, getBinaryNodeChild } from "baileys";
import { z } from "zod";

export type ChannelNotice = { what: "followed" | "left" | "muted"; id: string; muted: boolean };

const OLDER: Record<string, ChannelNotice["what"]> = { NotificationNewsletterJoin: "followed", NotificationNewsletterLeave: "left" };
const NEWER: Record<string, ChannelNotice["what"]> = {
  xwa2_notify_newsletter_on_join: "followed",
  xwa2_notify_newsletter_on_leave: "left",
  xwa2_notify_newsletter_on_mute_change: "muted",
};

const Older = z.object({ operation: z.string(), updates: z.array(z.object({ jid: z.string() })) });
const Newer = z.object({ data: z.record(z.string(), z.object({ id: z.string(), mute: z.string().nullish() }).nullish()) });

export function readMexNotice(node: BinaryNode): ChannelNotice[] {
  const payload = payloadOf(node);
  const older = Older.safeParse(payload);
  const operation = older.success ? OLDER[older.data.operation] : undefined;
  if (older.success)
    return operation === undefined ? [] : older.data.updates.map(({ jid }) => ({ what: operation, id: jid, muted: false }));
  const newer = Newer.safeParse(payload);
  if (!newer.success) return [];
  return Object.entries(newer.data.data).flatMap(([path, told]) => {
    const what = NEWER[path];
    return what === undefined || !told ? [] : [{ what, id: told.id, muted: told.mute === "ON" }];
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
