// Relays messages. The server sees addresses and ciphertext. A repeated message is relayed again; phones drop the duplicate.
import type { BinaryNode } from "baileys";
import type { Device, Newsletter } from "../model.ts";
import type { Network, NetworkState } from "../network-state.ts";
import { node, nowSeconds, STATUS_FEED, child, childrenOf } from "../node.ts";
import { relayDirect } from "./direct.ts";
import type { RelayOutcome } from "./envelope.ts";
import { relayToGroup, relayToStatus } from "./group.ts";
import { notifyReaction } from "../newsletters/announcements.ts";

export function relay(network: NetworkState, from: Device, message: BinaryNode): void {
  const fault = network.faults.onSend(from, message);
  if (fault?.kind === "lose_send") return;
  if (fault?.kind === "refuse_send") return ack(network, from, message, { error: String(fault.code) });
  const outcome = deliver(network, from, message);
  if (outcome.error === undefined) network.stats.relayed++;
  if (fault?.kind !== "swallow_send") ack(network, from, message, outcome);
}

function deliver(network: NetworkState, from: Device, message: BinaryNode): RelayOutcome {
  const { to = "" } = message.attrs;
  if (to === STATUS_FEED) return relayToStatus(network, from, message);
  if (to.endsWith("@g.us")) return relayToGroup(network, from, message);
  if (to.endsWith("@newsletter")) return relayToNewsletter(network, from, message);
  return relayDirect(network, from, message);
}

function ack(network: Network<"delivery">, from: Device, { attrs }: BinaryNode, outcome: RelayOutcome): void {
  network.delivery.emit(from.online, node("ack", { class: "message", id: attrs["id"], from: attrs["to"], t: nowSeconds(), ...outcome }));
}

/** Channel messages are not encrypted, as on the real network. */
function relayToNewsletter(
  network: Network<"delivery" | "directory" | "newsletters" | "store">,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const newsletter = network.newsletters.get(message.attrs["to"] ?? "");
  if (!newsletter) return { error: "404" };
  if (message.attrs["type"] === "reaction") return react(network, newsletter, from, message);
  const role = newsletter.followers.get(from.account.pn)?.role;
  if (role !== "OWNER" && role !== "ADMIN") return { error: "403" };
  return publish(network, newsletter, from, message);
}

function publish(
  network: Network<"delivery" | "directory" | "store">,
  newsletter: Newsletter,
  from: Device,
  message: BinaryNode,
): RelayOutcome {
  const { id = "", type = "text", edit } = message.attrs;
  const content = childrenOf(message).filter(({ tag }) => tag === "plaintext" || tag === "meta");
  const serverId = String(++newsletter.lastServerId);
  const at = nowSeconds();
  const post = { id, serverId, at, type, content, viewers: new Set<string>(), reactions: new Map<string, string>() };
  newsletter.messages.set(serverId, post);
  network.store.saveNewsletter(newsletter);
  network.store.saveNewsletterMessage(newsletter, post);
  const stanza = node("message", { from: newsletter.id, id, server_id: serverId, t: at, type, edit }, content);
  for (const pn of newsletter.followers.keys()) {
    for (const device of network.directory.account(pn)?.devices.values() ?? []) {
      if (device !== from) network.delivery.enqueue(device, stanza);
    }
  }
  return { server_id: serverId };
}

function react(network: Network<"delivery" | "store">, newsletter: Newsletter, from: Device, message: BinaryNode): RelayOutcome {
  if (!newsletter.followers.has(from.account.pn)) return { error: "403" };
  const post = newsletter.messages.get(message.attrs["server_id"] ?? "");
  if (!post) return { error: "404" };
  const code = child(message, "reaction")?.attrs["code"];
  if (code === undefined || code === "") post.reactions.delete(from.account.pn);
  else post.reactions.set(from.account.pn, code);
  network.store.saveNewsletterMessage(newsletter, post);
  notifyReaction(network, newsletter, post, code ?? "");
  return {};
}
