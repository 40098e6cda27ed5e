import { randomBytes } from "node:crypto";
import type { BinaryNode } from "baileys";
import type { Account, Newsletter, Device, NewsletterMessage } from "../model.ts";
import type { Network } from "../network-state.ts";
import { nowSeconds, node } from "../node.ts";
import { notifyAccount, notifyDevice } from "../notifications.ts";

export function newNewsletter(network: Network<"newsletters" | "store">, owner: Account, name: string, description: string): Newsletter {
  const at = nowSeconds();
  const newsletter: Newsletter = {
    id: freshNewsletterId(network),
    createdAt: at,
    updatedAt: at,
    inviteCode: randomBytes(12).toString("base64url"),
    followers: new Map([[owner.pn, { role: "OWNER", muted: false }]]),
    messages: new Map(),
    name,
    description,
    picture: undefined,
    lastServerId: 99,
  };
  network.newsletters.set(newsletter.id, newsletter);
  network.store.saveNewsletter(newsletter);
  return newsletter;
}

export function findNewsletter(network: Network<"newsletters">, key: string): Newsletter | undefined {
  const byId = network.newsletters.get(key);
  if (byId) return byId;
  const code = key.replace(/^.*\//, "");
  return [...network.newsletters.values()].find(({ inviteCode }) => inviteCode === code);
}

/** The channel as a GraphQL response shows it, with numbers and times as strings. */
export function newsletterView(network: Network<"blobs">, newsletter: Newsletter, viewer: Account): Record<string, unknown> {
  const { id, createdAt, updatedAt, name, description, inviteCode, followers, picture } = newsletter;
  const me = followers.get(viewer.pn);
  const shown = picture && { id: picture.id, type: "IMAGE", direct_path: picture.path, url: network.blobs.urlOf(picture.path) };
  return {
    id,
    state: { type: "ACTIVE" },
    thread_metadata: {
      creation_time: createdAt,
      name: { id: createdAt, text: name, update_time: updatedAt },
      description: { id: createdAt, text: description, update_time: updatedAt },
      invite: inviteCode,
      subscribers_count: String(followers.size),
      verification: "UNVERIFIED",
      handle: null,
      picture: shown ?? null,
      preview: shown ? { ...shown, type: "PREVIEW" } : null,
      settings: { reaction_codes: { value: "ALL" } },
    },
    viewer_metadata: { mute: me?.muted ? "ON" : "OFF", role: me?.role ?? "GUEST" },
  };
}

function freshNewsletterId(network: Network<"newsletters">): string {
  for (;;) {
    const id = `120363${randomBytes(6).readUIntBE(0, 6).toString().padStart(15, "0").slice(-12)}@newsletter`;
    if (!network.newsletters.has(id)) return id;
  }
}

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
