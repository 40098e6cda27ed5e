import type { BinaryNode } from "baileys";
import type { Device, Newsletter } from "../model.ts";
import type { Network } from "../network-state.ts";
import { notifyReaction } from "../newsletters/announcements.ts";
import { child, childrenOf, node, nowSeconds } from "../node.ts";
import type { RelayOutcome } from "./envelope.ts";

/** Channel messages are not encrypted, as on the real network. */
export function relayToNewsletter(
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
