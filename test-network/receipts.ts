// A receipt removes the message from its sender's queue and is forwarded to the author.
import type { BinaryNode } from "baileys";
import type { Device } from "./model.ts";
import type { Network } from "./network-state.ts";
import { notifyViews } from "./newsletters/announcements.ts";
import { namesByLid } from "./naming.ts";
import { child, children, node, nowSeconds, STATUS_FEED } from "./node.ts";

/** Receipt types that mean "delivered"; `inactive` comes from a device whose user is away. */
const DELIVERED = new Set<string | undefined>([undefined, "inactive", "sender", "peer_msg"]);
const ENDS_HERE = new Set<string | undefined>(["peer_msg", "hist_sync"]);
const SEEN = new Set<string | undefined>(["read", "read-self", "played", "played-self"]);

export function routeReceipt(
  network: Network<"delivery" | "directory" | "newsletters" | "stats" | "store" | "strict">,
  from: Device,
  stanza: BinaryNode,
): void {
  network.stats.receipts++;
  settleMessages(network, from, stanza);
  const { to = "", type } = stanza.attrs;
  if (ENDS_HERE.has(type)) return;
  if (type === "sender") return forwardToSender(network, from, stanza);
  if (type === "server-error") return askOwnPhone(network, from, stanza);
  if (to.endsWith("@newsletter")) return countViews(network, from, stanza);
  if (SEEN.has(type)) forwardToOwnDevices(network, from, stanza);
  if (type === "read-self" || type === "played-self") return;
  forwardToAuthor(network, from, stanza);
}

// A read receipt settles every queued copy. A retry receipt settles none: the following ack does, and the resend must stay queued.
function settleMessages(network: Network<"delivery">, from: Device, stanza: BinaryNode): void {
  const { type } = stanza.attrs;
  for (const id of idsOf(stanza)) {
    if (DELIVERED.has(type)) settleCopies(network, from, id);
    if (SEEN.has(type)) while (network.delivery.settle(from, "message", { id }));
  }
}

// Removes the message from the queue, along with copies that could not be read and were requested again.
function settleCopies(network: Network<"delivery">, from: Device, id: string): void {
  for (let left = from.queue.refusedCopies("message", id); left >= 0; left--) network.delivery.settle(from, "message", { id });
}

function forwardToAuthor(network: Network<"delivery" | "directory" | "strict">, from: Device, stanza: BinaryNode): void {
  const { to = "", id, type, participant, recipient } = stanza.attrs;
  const shared = to.endsWith("@g.us") || to === STATUS_FEED;
  const authorJid = shared ? participant : to;
  const author = network.directory.find(authorJid);
  if (!author) return;
  // Hiding one's own read receipts also hides those of others, except in groups.
  if (network.strict && !shared && type === "read" && author.privacy["readreceipts"] === "none") return;
  const byLid = namesByLid(from.account, authorJid?.endsWith("@lid") === true);
  const me = byLid ? from.lidJid : from.pnJid;
  const attrs = {
    ...(shared ? { from: to, participant: me } : { from: me }),
    id,
    t: nowSeconds(),
    type: type === "inactive" && !network.strict ? undefined : type,
    // A device that could not decrypt its copy of a message from its own account asks the sending device.
    recipient: type === "retry" ? recipient : undefined,
  };
  for (const device of type === "retry" ? oneDevice(network, authorJid) : author.devices.values()) {
    if (device !== from) network.delivery.enqueue(device, node("receipt", attrs, stanza.content));
  }
}

// Tells a linked device that the phone has its copy of a message to a person.
function forwardToSender(network: Network<"delivery" | "directory">, from: Device, stanza: BinaryNode): void {
  const { to = "", id, recipient } = stanza.attrs;
  const attrs = { from: to.endsWith("@lid") ? from.lidJid : from.pnJid, recipient, id, type: "sender", t: nowSeconds() };
  for (const device of oneDevice(network, to)) {
    if (device !== from && device.account === from.account) network.delivery.enqueue(device, node("receipt", attrs, stanza.content));
  }
}

function forwardToOwnDevices(network: Network<"delivery">, from: Device, stanza: BinaryNode): void {
  const { to, id, type, participant } = stanza.attrs;
  for (const device of from.account.devices.values()) {
    if (device === from) continue;
    network.delivery.enqueue(
      device,
      node("receipt", { from: from.account.pnJid, recipient: to, participant, id, type, t: nowSeconds() }, stanza.content),
    );
  }
}

// Forwards a linked device's request to upload a file again; the phone responds with a `mediaretry` notification.
function askOwnPhone(network: Network<"delivery">, from: Device, stanza: BinaryNode): void {
  const phone = from.account.devices.get(0);
  if (!phone || phone === from) return;
  const { id, type } = stanza.attrs;
  network.delivery.enqueue(phone, node("receipt", { from: from.pnJid, id, type, t: nowSeconds() }, stanza.content));
}

function countViews(network: Network<"delivery" | "newsletters" | "store">, from: Device, stanza: BinaryNode): void {
  const newsletter = network.newsletters.get(stanza.attrs["to"] ?? "");
  if (!newsletter) return;
  for (const id of idsOf(stanza)) network.delivery.settle(from, "message", { id });
  if (stanza.attrs["type"] !== "view") return;
  const serverIds = [stanza.attrs["server_id"], ...children(child(stanza, "list"), "item").map((one) => one.attrs["server_id"])];
  for (const serverId of serverIds) {
    const message = newsletter.messages.get(serverId ?? "");
    if (!message || message.viewers.has(from.account.pn)) continue;
    message.viewers.add(from.account.pn);
    network.store.saveNewsletterMessage(newsletter, message);
    notifyViews(network, newsletter, message);
  }
}

function idsOf(stanza: BinaryNode): string[] {
  const more = children(child(stanza, "list"), "item").map((one) => one.attrs["id"]);
  return [stanza.attrs["id"], ...more].filter((id) => id !== undefined);
}

function oneDevice(network: Network<"directory">, jid: string | undefined): Device[] {
  const device = network.directory.device(jid);
  return device ? [device] : [];
}
