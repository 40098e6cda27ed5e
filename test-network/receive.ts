import type { BinaryNode } from "baileys";
import type { Device, Account } from "./model.ts";
import type { Network, NetworkState } from "./network-state.ts";
import { child, node, nowSeconds, SERVER_JID, childrenOf, children, STATUS_FEED, addressesOf, namesByLid } from "./node.ts";
import { routeChatState, routePresence } from "./presence.ts";
import { relay } from "./relay/relay.ts";
import { randomBytes } from "node:crypto";
import { freshId } from "./notifications.ts";
import { notifyViews } from "./newsletters/newsletter.ts";

export function route(network: NetworkState, from: Device, stanza: BinaryNode): void {
  try {
    routeByTag(network, from, stanza);
  } catch (error) {
    network.stats.countFailure(stanza.tag, error);
  }
}

function routeByTag(network: NetworkState, from: Device, stanza: BinaryNode): void {
  switch (stanza.tag) {
    case "message":
      return relay(network, from, stanza);
    case "receipt":
      return acceptReceipt(network, from, stanza);
    case "ack":
      return acceptAck(network, from, stanza);
    case "presence":
      return routePresence(network, from, stanza);
    case "chatstate":
      return routeChatState(network, from, stanza);
    case "call":
      return routeCall(network, from, stanza);
    case "notification":
      return forwardToOwnPhone(network, from, stanza);
    case "ib":
      return acceptFlowControl(network, from, stanza);
    default:
      network.stats.count("unknown", stanza.tag);
  }
}

function acceptReceipt(
  network: Network<"delivery" | "directory" | "newsletters" | "stats" | "store" | "strict">,
  from: Device,
  stanza: BinaryNode,
): void {
  routeReceipt(network, from, stanza);
  const { id, to, type, participant } = stanza.attrs;
  network.delivery.emit(from.online, node("ack", { class: "receipt", id, from: to, type, participant, t: nowSeconds() }));
}

function acceptAck(network: Network<"delivery">, from: Device, { attrs }: BinaryNode): void {
  const { id, class: tag, to, participant, type, error } = attrs;
  if (id === undefined || tag === undefined) return;
  if (error === undefined) network.delivery.settle(from, tag, { id, from: to, participant, type });
  else network.delivery.refuse(from, tag, { id, from: to, participant, type });
}

// Handles `offline_batch`. The other stanzas here are telemetry and need no response.
function acceptFlowControl(network: Network<"delivery">, from: Device, stanza: BinaryNode): void {
  const batch = child(stanza, "offline_batch");
  if (batch) network.delivery.pull(from, Number(batch.attrs["count"] ?? 0));
}

// Forwards the phone's reply to one of its account's devices, for example after a media request (`mediaretry`).
function forwardToOwnPhone(network: Network<"delivery" | "directory" | "stats">, from: Device, stanza: BinaryNode): void {
  const target = network.directory.device(stanza.attrs["to"]);
  if (!target || target.account !== from.account) return network.stats.count("unknown", "notification");
  const { id, type, from: sender = from.account.pnJid } = stanza.attrs;
  network.delivery.enqueue(target, node("notification", { id, type, from: sender, t: nowSeconds() }, stanza.content));
  network.delivery.emit(from.online, node("ack", { class: "notification", id, from: SERVER_JID }));
}

/** Call stanzas go to every device of the callee and are acked to the sender. */
function routeCall(network: Network<"addressing" | "delivery" | "directory">, from: Device, stanza: BinaryNode): void {
  const { to = "", id = freshId() } = stanza.attrs;
  const [signal] = childrenOf(stanza);
  if (signal?.tag === "link_create") {
    const token = randomBytes(8).toString("hex");
    return network.delivery.emit(from.online, node("ack", { class: "call", id, from: "@call" }, [node("link_create", { token })]));
  }
  const target = network.directory.find(to);
  if (!target || !signal) return network.delivery.emit(from.online, node("ack", { class: "call", id, from: to, error: "404" }));
  if (!target.blocklist.has(from.account.lid)) {
    const byLid = namesByLid(from.account, network.addressing === "lid");
    const { other } = addressesOf(from.account, byLid);
    const attrs = {
      from: byLid ? from.lidJid : from.pnJid,
      sender_pn: byLid ? other : undefined,
      sender_lid: byLid ? undefined : other,
      id,
      t: nowSeconds(),
      notify: from.account.name,
    };
    for (const device of target.devices.values()) {
      if (device !== from) network.delivery.enqueue(device, node("call", attrs, stanza.content));
    }
  }
  if (from.id !== 0 && (signal.tag === "accept" || signal.tag === "reject")) stopRinging(network, from, target, signal);
  network.delivery.emit(from.online, node("ack", { class: "call", id, from: to, type: signal.tag, t: nowSeconds() }));
}

function stopRinging(network: Network<"delivery">, from: Device, caller: Account, signal: BinaryNode): void {
  const phone = from.account.devices.get(0);
  const { "call-id": callId, "call-creator": creator } = signal.attrs;
  if (!phone) return;
  const terminate = node("terminate", { "call-id": callId, "call-creator": creator, reason: `${signal.tag}ed_elsewhere` });
  network.delivery.enqueue(phone, node("call", { from: caller.pnJid, id: freshId(), t: nowSeconds() }, [terminate]));
}

// A receipt removes the message from the sender's queue and is forwarded to the author.

/** Receipt types that mean "delivered". Devices whose user is away send `inactive`. */
const DELIVERED = new Set<string | undefined>([undefined, "inactive", "sender", "peer_msg"]);
const ENDS_HERE = new Set<string | undefined>(["peer_msg", "hist_sync"]);
const SEEN = new Set<string | undefined>(["read", "read-self", "played", "played-self"]);

function routeReceipt(
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

// A read receipt settles every queued copy. A retry receipt settles none, because the resent copy must stay queued.
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
  // People who turn off their read receipts do not see other people's either, except in groups.
  if (network.strict && !shared && type === "read" && author.privacy["readreceipts"] === "none") return;
  const byLid = namesByLid(from.account, authorJid?.endsWith("@lid") === true);
  const me = byLid ? from.lidJid : from.pnJid;
  const attrs = {
    ...(shared ? { from: to, participant: me } : { from: me }),
    id,
    t: nowSeconds(),
    type: type === "inactive" && !network.strict ? undefined : type,
    // If a device could not decrypt its copy of a message from its own account, it asks the sending device to resend that message.
    recipient: type === "retry" ? recipient : undefined,
  };
  for (const device of type === "retry" ? oneDevice(network, authorJid) : author.devices.values()) {
    if (device !== from) network.delivery.enqueue(device, node("receipt", attrs, stanza.content));
  }
}

// Reports to a linked device that the phone has its own copy of a message to a person.
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

// Forwards a linked device's request to upload a file again. The phone responds with a `mediaretry` notification.
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
