import type { BinaryNode } from "baileys";
import type { Account, Device, Newsletter, NewsletterMessage } from "../model.ts";
import type { Network } from "../network-state.ts";
import { node } from "../node.ts";
import { notifyAccount, notifyDevice } from "../notifications.ts";

export const LIVE_SECONDS = 300;

const watching = new WeakMap<Newsletter, Map<Device, number>>();

export function watch(newsletter: Newsletter, device: Device, nowMs: number): void {
  const watchers = watching.get(newsletter) ?? new Map<Device, number>();
  watching.set(newsletter, watchers.set(device, nowMs + LIVE_SECONDS * 1000));
}

export function notifyViews(network: Network<"delivery">, newsletter: Newsletter, { serverId, viewers }: NewsletterMessage): void {
  notifyWatchers(network, newsletter, node("view", { message_id: serverId }, Buffer.from(String(viewers.size))));
}

export function notifyReaction(network: Network<"delivery">, newsletter: Newsletter, { serverId }: NewsletterMessage, emoji: string): void {
  notifyWatchers(network, newsletter, node("reaction", { message_id: serverId }, [node("reaction", {}, Buffer.from(emoji))]));
}

/** Notifies all followers of a new name, description or picture. */
export function notifyUpdate(network: Network<"delivery" | "directory">, newsletter: Newsletter, settings: Record<string, unknown>): void {
  for (const pn of newsletter.followers.keys()) {
    const account = network.directory.account(pn);
    if (account) notifyMex(network, account, undefined, newsletter, "NotificationNewsletterUpdate", [{ jid: newsletter.id, settings }]);
  }
}

export function notifyOwnDevices(network: Network<"delivery">, by: Device, newsletter: Newsletter, operation: string): void {
  notifyMex(network, by.account, by, newsletter, operation, [{ jid: newsletter.id }]);
}

function notifyMex(
  network: Network<"delivery">,
  account: Account,
  except: Device | undefined,
  newsletter: Newsletter,
  operation: string,
  updates: unknown[],
): void {
  const payload = Buffer.from(JSON.stringify({ operation, updates }));
  notifyAccount(network, account, except, { from: newsletter.id, type: "mex" }, [node("mex", {}, payload)]);
}

function notifyWatchers(network: Network<"delivery">, newsletter: Newsletter, content: BinaryNode): void {
  const now = Date.now();
  for (const [device, until] of watching.get(newsletter) ?? []) {
    if (until > now && device.online) notifyDevice(network, device, { from: newsletter.id, type: "newsletter" }, [content]);
    else watching.get(newsletter)?.delete(device);
  }
}
